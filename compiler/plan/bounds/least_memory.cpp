#include "plan/bounds/least_memory.h"

#include "plan/terms/term_builder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace planc::plan {

namespace {

/// In bytes, if nothing is split.
double volume(const sharding::Value &value) {
    return std::accumulate(value.extents.begin(), value.extents.end(), static_cast<double>(value.element_bytes),
                           std::multiplies<>());
}

class Bound : TermBuilder {
  public:
    Bound(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
          const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, mesh, machine, storage, cache), peak_(largest_operation()) {}

    /// With what does not live from step to step, or without: activations, and what passes at one operation.
    Marginals bytes(bool activations) {
        std::vector<std::vector<double>> of_layer;
        for (const auto &options : space_.options)
            of_layer.emplace_back(options->size(), 0.0);
        double decided = 0; // whatever the strategies are
        for (const ValueId v : graph_.values.ids()) {
            if (activations && step_.facts->residences[v] == cost::Residence::gradient)
                decided += volume(graph_.values[v]) / mesh_.ranks();
            if (!is_counted(v, activations))
                continue;
            const std::vector<LayerId> variables = Structure::of_origin(index_, step_.sums, v).variables();
            if (variables.empty())
                decided += bytes(v);
            if (variables.size() != 1 || !space_.options.contains(variables[0]))
                continue;
            const std::vector<double> &of_value = by_strategy(v, variables[0]);
            std::vector<double> &sum = of_layer[variables[0].index()];
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += of_value[i];
        }
        for (std::vector<double> &sum : of_layer) {
            const double least = *std::min_element(sum.begin(), sum.end());
            decided += least;
            for (double &each : sum)
                each -= least;
        }
        for (std::vector<double> &sum : of_layer)
            for (double &each : sum)
                each += decided;
        return {decided, std::move(of_layer)};
    }

  private:
    /// Not a gradient: it may be scattered as soon as it is produced, and then only its shares count.
    [[nodiscard]] bool is_counted(ValueId v, bool activations) const {
        const cost::Residence residence = step_.facts->residences[v];
        return residence == cost::Residence::parameter || residence == cost::Residence::optimizer_state ||
               (activations && (residence == cost::Residence::activation || passes_at(v, peak_)));
    }
    [[nodiscard]] bool passes_at(ValueId v, OperationId operation) const {
        const cost::Life &life = step_.facts->lives[v];
        return step_.facts->residences[v] == cost::Residence::passing && life.first <= operation &&
               operation <= life.last;
    }
    /// The operation at which most would pass if nothing were split. Its memory is counted: that of any one is a bound.
    [[nodiscard]] OperationId largest_operation() const {
        PerOperation<double> change(graph_.operations.size() + 2, 0.0);
        for (const ValueId v : graph_.values.ids()) {
            if (step_.facts->residences[v] != cost::Residence::passing)
                continue;
            const double bytes = volume(graph_.values[v]);
            change[step_.facts->lives[v].first] += bytes;
            change[step_.facts->lives[v].last + 1] -= bytes;
        }
        OperationId largest;
        double now = 0;
        double most = 0;
        for (const OperationId o : graph_.operations.ids()) {
            now += change[o];
            largest = now > most ? o : largest;
            most = std::max(most, now);
        }
        return largest;
    }
    [[nodiscard]] double bytes(ValueId v) {
        return static_cast<double>(planrt::largest_volume(reshards_of(v).placement(lies(v)), mesh_)) *
               graph_.values[v].element_bytes;
    }
    const std::vector<double> &by_strategy(ValueId v, LayerId layer) {
        const Strategies *options = space_.options[layer].get();
        std::vector<double> &known = known_[{step_.values[v].kind, options}];
        for (int option = 0; known.size() < options->size(); ++option) {
            choose(layer, option);
            known.push_back(bytes(v));
        }
        return known;
    }

    OperationId peak_;
    std::map<std::pair<int, const Strategies *>, std::vector<double>> known_; ///< by kind of value
};

} // namespace

LeastMemory least_memory(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache) {
    Bound least(step, space, mesh, machine, storage, cache);
    return {least.bytes(false).lower_bound, least.bytes(true).lower_bound};
}

Marginals least_memory_of_strategies(const StepStructure &step, const Space &space, const Mesh &mesh,
                                     const Machine &machine, const Storage &storage, TermCache &cache) {
    return Bound(step, space, mesh, machine, storage, cache).bytes(true);
}

double evenly_divided(const Graph &graph, int ranks, Living counted) {
    const PerValue<cost::Residence> residences = cost::residences(graph);
    const auto is_counted = [&](ValueId v) {
        switch (residences[v]) {
        case cost::Residence::parameter:
        case cost::Residence::optimizer_state:
            return true;
        case cost::Residence::gradient:
            return counted >= Living::gradients;
        case cost::Residence::activation:
            return counted >= Living::activations;
        default:
            return false;
        }
    };
    double bytes = 0;
    for (const ValueId v : graph.values.ids())
        bytes += is_counted(v) ? volume(graph.values[v]) : 0;
    return bytes / ranks;
}

} // namespace planc::plan
