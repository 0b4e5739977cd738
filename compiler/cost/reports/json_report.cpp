#include "cost/reports/report.h"
#include "support/json.h"
#include "support/whole.h"

namespace planc::cost {

namespace {

using support::JsonWriter;

std::int64_t whole(Bytes bytes) {
    return support::whole(bytes.value);
}

class Json {
  public:
    Json(const CostTable &table, const Machine &machine, const ReportOptions &options)
        : table_(table), machine_(machine), options_(options) {}

    std::string make() {
        json_.begin_object()
            .member("network", options_.network)
            .member("profile", "exact")
            .member("ranks", table_.mesh.ranks());
        write_mesh(json_, table_);
        json_.member("machine", machine_.name).member("seconds", table_.seconds().value);
        json_.member("compute_seconds", table_.compute.value);
        json_.member("communication_seconds", table_.communication.value);
        if (options_.overlap)
            json_.member("overlap_seconds", options_.overlap->step.value)
                .member("exposed_seconds", options_.overlap->exposed.value);
        json_.member("bytes", whole(table_.payload)).member("messages", table_.calls);
        json_.member("busiest_rank", table_.busiest_rank);
        json_.member("microbatches", table_.microbatches);
        add_storage();
        add_memory();
        add_pipeline();
        json_.key("layers").begin_array();
        for (const LayerRow &layer : table_.layers)
            add(layer);
        json_.end_array().key("reshards").begin_array();
        for (const CollectiveRow &row : table_.reshards)
            add(row);
        json_.end_array().key("buckets").begin_array();
        for (const BucketRow &bucket : table_.buckets)
            add(bucket);
        return json_.end_array().end_object().text();
    }

  private:
    void add_storage() {
        json_.key("storage").begin_object();
        json_.key("parameters");
        add_names(table_.storage.parameters);
        json_.key("gradients");
        add_names(table_.storage.gradients);
        json_.key("optimizer");
        add_names(table_.storage.optimizer);
        json_.end_object();
    }

    void add_memory() {
        const Memory &memory = table_.memory;
        if (options_.arena_bytes > 0)
            json_.member("arena_bytes", options_.arena_bytes);
        if (options_.matrix_bytes > 0)
            json_.member("matrix_bytes", options_.matrix_bytes);
        json_.member("memory_bytes", whole(memory.total())).key("memory").begin_object();
        json_.member("parameters", whole(memory.parameters)).member("gradients", whole(memory.gradients));
        json_.member("optimizer_state", whole(memory.optimizer_state)).member("activations", whole(memory.activations));
        json_.member("inputs", whole(memory.inputs)).member("buffers", whole(memory.buffers));
        json_.member("passing", whole(memory.passing)).end_object();
    }

    void add_pipeline() {
        if (!table_.pipeline)
            return;
        const PipelineCost &pipeline = *table_.pipeline;
        json_.key("pipeline").begin_object().member("axis", pipeline.axis).member("schedule", pipeline.schedule);
        json_.member("seconds_with_barrier", pipeline.with_barrier.value);
        json_.member("seconds_back_to_back", pipeline.back_to_back.value);
        json_.member("busiest_stage_seconds", pipeline.work.value).key("stages").begin_array();
        for (const StageRow &stage : pipeline.stages) {
            json_.begin_object().key("layers").begin_array();
            for (const LayerId layer : stage.layers)
                json_.value(table_.layers[layer].name);
            json_.end_array().member("forward_seconds", stage.forward.value);
            json_.member("input_gradient_seconds", stage.input_gradients.value);
            json_.member("weight_gradient_seconds", stage.weight_gradients.value);
            json_.member("update_seconds", stage.update.value).member("bytes_sent", whole(stage.sent));
            json_.member("memory_bytes", whole(stage.memory.total()));
            json_.member("micro_batches_in_flight", stage.micro_batches).end_object();
        }
        json_.end_array().end_object();
    }

    void add(const LayerRow &layer) {
        json_.begin_object().member("name", layer.name).key("split").begin_object();
        for (const SplitRow &split : layer.split)
            json_.member(table_.axes[split.axis], split.loop);
        json_.end_object().member("words", split_words(layer, table_.axes));
        json_.member("seconds", layer.seconds().value).member("compute_seconds", layer.compute_seconds().value);
        json_.key("compute").begin_object();
        for (int phase = 0; phase < phases; ++phase)
            json_.member(name(static_cast<Phase>(phase)), layer.compute[static_cast<std::size_t>(phase)].value);
        json_.end_object().member("bytes", whole(layer.payload())).key("collectives").begin_array();
        for (const CollectiveRow &row : layer.collectives)
            add(row);
        json_.end_array().end_object();
    }

    void add_axes(const std::vector<int> &axes) {
        json_.key("axes");
        add_names(axes);
    }

    void add_names(const std::vector<int> &axes) {
        json_.begin_array();
        for (int axis : axes)
            json_.value(table_.axes[axis]);
        json_.end_array();
    }

    void add(const CollectiveRow &row) {
        json_.begin_object().member("kind", name_of(row.kind));
        add_axes(row.axes);
        json_.member("phase", name(row.phase)).member("tensor", row.tensor);
        if (row.from_layer)
            json_.member("from_layer", table_.layers[row.from_layer].name)
                .member("to_layer", table_.layers[row.layer].name);
        json_.member("from", row.from).member("to", row.to).member("ranks", row.ranks);
        json_.member("bytes", whole(row.payload)).member("messages", row.calls);
        if (row.bucket >= 0)
            json_.member("bucket", row.bucket);
        if (row.joined)
            json_.member("joined", true);
        if (row.kind != CollectiveKind::exchange)
            json_.member("algorithm", name(row.algorithm)).member("by_messages", !row.by_mpi);
        json_.member("seconds", row.price.seconds().value).member("wire_bytes", row.price.wire.value);
        json_.member("wire_messages", row.price.messages).member("formula", formula(row, table_, machine_));
        json_.end_object();
    }

    void add(const BucketRow &bucket) {
        json_.begin_object().member("phase", name(bucket.phase));
        add_axes(bucket.axes);
        json_.key("layers").begin_array();
        for (const LayerId layer : bucket.layers)
            json_.value(table_.layers[layer].name);
        json_.end_array().member("bytes", whole(bucket.payload)).member("messages", bucket.calls);
        json_.member("seconds", bucket.price.seconds().value).end_object();
    }

    const CostTable &table_;
    const Machine &machine_;
    const ReportOptions &options_;
    JsonWriter json_;
};

} // namespace

std::string json_report(const CostTable &table, const Machine &machine, const ReportOptions &options) {
    return Json(table, machine, options).make();
}

} // namespace planc::cost
