#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"

namespace planc::cost {

namespace {

class Text {
  public:
    Text(const CostTable &table, const Machine &machine, const ReportOptions &options)
        : table_(table), machine_(machine), options_(options) {}

    std::string make() {
        lines_.row({"", "phase", "axes", "tensor", "bytes", "calls", "time"});
        for (const LayerRow &layer : table_.layers)
            add(layer);
        add_reshards();
        add_buckets();
        add_stages();
        return head() + "\n" + lines_.text(4) + "\n" + totals();
    }

  private:
    std::string head() const {
        return (options_.network.empty() ? std::string("training step") : options_.network) + " on " +
               std::to_string(table_.mesh.ranks()) + " ranks (" + mesh_words(table_.axes, table_.mesh) +
               ") of machine " + machine_.name + ": " + human_seconds(table_.seconds()) + " a step\n" +
               storage_words(table_.storage, table_.axes);
    }

    void add(const LayerRow &layer) {
        lines_.free(layer.name + ": " + split_words(layer, table_.axes));
        for (int phase = 0; phase < phases; ++phase)
            if (const Seconds seconds = layer.compute[static_cast<std::size_t>(phase)]; seconds.value > 0)
                lines_.row({"  compute", name(static_cast<Phase>(phase)), "", "", "", "", human_seconds(seconds)});
        for (const CollectiveRow &row : layer.collectives)
            add(row);
        lines_.row({"  total", "", "", "", grouped(layer.payload().value), "", human_seconds(layer.seconds())});
    }

    void add(const CollectiveRow &row) {
        const std::string by = row.by_mpi ? "" : std::string(" by ") + name(row.algorithm);
        lines_.row({std::string("  ") + name_of(row.kind) + by, name(row.phase), axes_words(row.axes, table_.axes),
                    row.tensor, grouped(row.payload.value),
                    row.bucket >= 0 ? "bucket " + std::to_string(row.bucket + 1)
                    : row.joined    ? "joined"
                                    : std::to_string(row.calls),
                    human_seconds(row.price.seconds())});
        if (options_.formulas)
            lines_.free("      = " + formula(row, table_, machine_));
    }

    void add_reshards() {
        if (!table_.reshards.empty())
            lines_.free("reshards between layers");
        for (const CollectiveRow &row : table_.reshards) {
            add(row);
            lines_.free("      " + table_.layers[row.from_layer].name + " to " + table_.layers[row.layer].name + ": " +
                        row.from + " to " + row.to);
        }
    }

    void add_buckets() {
        if (!table_.buckets.empty())
            lines_.free("buckets: small tensors in one all-reduce, bytes shown at their layers");
        for (std::size_t b = 0; b < table_.buckets.size(); ++b) {
            const BucketRow &bucket = table_.buckets[b];
            lines_.row({"  bucket " + std::to_string(b + 1), name(bucket.phase), axes_words(bucket.axes, table_.axes),
                        std::to_string(bucket.layers.size()) + (bucket.layers.size() == 1 ? " layer" : " layers"), "",
                        std::to_string(bucket.calls), human_seconds(bucket.price.seconds())});
        }
    }

    void add_stages() {
        if (!table_.pipeline)
            return;
        lines_.free("stages over " + table_.pipeline->axis + ": " + std::to_string(table_.microbatches) +
                    " micro-batches by " + table_.pipeline->schedule);
        const int updates = table_.pipeline->updates;
        int number = 0;
        for (const StageRow &stage : table_.pipeline->stages) {
            lines_.free("  stage " + std::to_string(number++) + ": " + layers(stage) + "; " +
                        std::to_string(stage.micro_batches) + " in flight, about " + human_bytes(stage.memory.total()) +
                        " a rank");
            lines_.row({"    of a micro-batch", "forward", "", "", "", "", human_seconds(stage.forward)});
            lines_.row({"    of a micro-batch", "backward", "", "", "", "", human_seconds(stage.backward())});
            lines_.row({updates == 1 ? "    once a step" : "    of " + std::to_string(updates) + " updates", "update",
                        "", "", "", "", human_seconds(stage.update)});
            lines_.row({"    to other stages", "", "", "", grouped(stage.sent.value), "",
                        human_seconds(table_.microbatches * stage.sends + stage.sums)});
        }
    }

    /// "h1 to h3"
    [[nodiscard]] std::string layers(const StageRow &stage) const {
        if (stage.layers.empty())
            return "no layers";
        const std::string &first = table_.layers[stage.layers.front()].name;
        return stage.layers.size() == 1 ? first : first + " to " + table_.layers[stage.layers.back()].name;
    }

    /// The step of a pipeline, and the part of it in which the busiest stage waits.
    [[nodiscard]] std::string pipeline_step() const {
        const PipelineCost &pipeline = *table_.pipeline;
        const auto bubble = [&](Seconds step) {
            return human_seconds(step) + " (bubble " + bubble_words(step, pipeline.work) + ")";
        };
        return "pipeline: with a barrier after each step " + bubble(pipeline.with_barrier) + ", back to back " +
               bubble(pipeline.back_to_back) + "\n";
    }

    std::string totals() const {
        const Memory &memory = table_.memory;
        if (table_.pipeline)
            return pipeline_step() + "work of all stages: " + human_seconds(table_.compute) + " compute + " +
                   human_seconds(table_.communication) + " communication" + overlap() + "\n" + arena() +
                   "the planner's estimate: about " + human_bytes(memory.total()) + " on the largest stage\n";
        return "step: " + human_seconds(table_.compute) + " compute + " + human_seconds(table_.communication) +
               " communication = " + human_seconds(table_.seconds()) + overlap() + "\nbusiest rank: rank " +
               std::to_string(table_.busiest_rank) + " hands " + grouped(table_.payload.value) + " bytes to MPI in " +
               std::to_string(table_.calls) + (table_.calls == 1 ? " call" : " calls") + " a step\n" + arena() +
               (options_.arena_bytes > 0 ? "the planner's estimate: about " : "memory of a rank: about ") +
               human_bytes(memory.total()) + " (parameters " + human_bytes(memory.parameters) + ", gradients " +
               human_bytes(memory.gradients) + ", optimizer state " + human_bytes(memory.optimizer_state) +
               ", activations " + human_bytes(memory.activations) + ", inputs " + human_bytes(memory.inputs) +
               ", buffers " + human_bytes(memory.buffers) + ", passing " + human_bytes(memory.passing) + ")\n";
    }

    [[nodiscard]] std::string overlap() const {
        return options_.overlap ? ", with overlap " + human_seconds(options_.overlap->step) + " (" +
                                      human_seconds(options_.overlap->exposed) + " of communication exposed)"
                                : "";
    }

    /// What a rank allocates, to the byte, and what reduces it.
    std::string arena() const {
        std::string text;
        if (options_.arena_bytes > 0)
            text =
                "memory of a rank: " + grouped(options_.arena_bytes) + " bytes" +
                (options_.matrix_bytes > 0 ? ", and " + grouped(options_.matrix_bytes) + " of sparse matrices" : "") +
                "\n";
        for (const std::string &saving : options_.savings)
            text += "saves memory: " + saving + "\n";
        return text;
    }

    const CostTable &table_;
    const Machine &machine_;
    const ReportOptions &options_;
    Lines lines_;
};

} // namespace

std::string text_report(const CostTable &table, const Machine &machine, const ReportOptions &options) {
    return Text(table, machine, options).make();
}

} // namespace planc::cost
