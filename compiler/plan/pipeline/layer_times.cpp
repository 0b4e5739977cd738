#include "plan/pipeline/layer_times.h"

#include "sharding/copy_levels.h"

#include <algorithm>

namespace planc::plan {

namespace {

using sharding::Phase;

/// The place of what runs in a phase, once for each micro-batch; none: it runs once.
Seconds *of_micro_batch(LayerTimes &times, Phase phase) {
    switch (phase) {
    case Phase::forward:
    case Phase::loss:
        return &times.forward;
    case Phase::weight_gradient:
        return &times.weight_gradients;
    case Phase::input_gradient:
    case Phase::recompute:
        return &times.input_gradients;
    case Phase::update:
        break;
    }
    return nullptr;
}

class Booking {
  public:
    explicit Booking(const CostTable &table) : table_(table), times_(table.layers.size()) {}

    PerLayer<LayerTimes> make() {
        for (const LayerId layer : table_.layers.ids()) {
            const cost::LayerRow &row = table_.layers[layer];
            for (std::size_t phase = 0; phase < row.compute.size(); ++phase)
                book(layer, static_cast<Phase>(phase), row.compute[phase], false);
            book(row.collectives);
        }
        book(table_.reshards);
        for (const cost::BucketRow &bucket : table_.buckets)
            times_[bucket.layers.front()].update += bucket.price.seconds();
        return std::move(times_);
    }

  private:
    void book(const std::vector<cost::CollectiveRow> &rows) {
        for (const cost::CollectiveRow &row : rows)
            book(row.layer, row.phase, row.price.seconds(), row.times < table_.microbatches);
    }

    void book(LayerId layer, Phase phase, Seconds seconds, bool once) {
        LayerTimes &times = times_[layer];
        if (Seconds *part = of_micro_batch(times, phase); part != nullptr && !once)
            *part += (1.0 / table_.microbatches) * seconds;
        else
            times.update += seconds;
    }

    const CostTable &table_;
    PerLayer<LayerTimes> times_;
};

} // namespace

LayerTimes &LayerTimes::operator+=(const LayerTimes &other) {
    forward += other.forward;
    input_gradients += other.input_gradients;
    weight_gradients += other.weight_gradients;
    update += other.update;
    return *this;
}

cost::StageRow stage_row(const LayerTimes &times) {
    cost::StageRow row;
    row.forward = times.forward;
    row.input_gradients = times.input_gradients;
    row.weight_gradients = times.weight_gradients;
    row.update = times.update;
    return row;
}

PerLayer<LayerTimes> layer_times(const CostTable &table) {
    return Booking(table).make();
}

std::vector<Seconds> update_levels(const Graph &graph, const cost::GraphFacts &facts, const sharding::LaidOut &laid_out,
                                   const Mesh &mesh, const Machine &machine, cost::StepPrices &prices, Seconds update) {
    std::vector<Seconds> levels(1);
    const auto add = [&](int level, Seconds seconds) {
        levels.resize(std::max(levels.size(), static_cast<std::size_t>(level) + 1));
        levels[static_cast<std::size_t>(level)] += seconds;
    };
    for (const OperationId o : graph.operations.ids())
        if (const sharding::Operation &operation = graph.operations[o]; operation.per_step)
            add(operation.level,
                cost::seconds_under(laid_out.operations[o].strategy, operation, facts.work[o], mesh, machine));
    const PerValue<std::vector<int>> level_of = sharding::copy_levels(graph, laid_out);
    for (const ValueId v : graph.values.ids())
        for (std::size_t c = 0; c < laid_out.copies[v].size(); ++c)
            if (const sharding::Copy &copy = laid_out.copies[v][c]; sharding::once_a_step(graph, v, copy))
                for (const sharding::Step &step : copy.steps)
                    add(level_of[v][c], prices.of(step, graph.values[v].element_bytes).price.seconds());
    Seconds sum{};
    for (const Seconds each : levels)
        sum += each;
    for (Seconds &each : levels) // latencies that buckets share are in the table only
        each = sum.value > 0 ? (update.value / sum.value) * each : update;
    return levels;
}

} // namespace planc::plan
