#include "plan/bounds/least_memory.h"

#include "plan/terms/term_builder.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace planc::plan {

namespace {

class Bound : TermBuilder {
  public:
    Bound(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
          const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, mesh, machine, storage, cache), peak_(largest_operation()) {}

    /// With what does not live from step to step, or without: activations, and what passes at one operation.
    double bytes(bool activations) {
        PerLayer<std::vector<double>> of_layer;
        for (const auto &options : space_.options)
            of_layer.emplace_back(options->size(), 0.0);
        double decided = 0; // whatever the strategies are
        for (const ValueId v : graph_.values.ids()) {
            if (!is_counted(v, activations))
                continue;
            const std::vector<LayerId> variables = Structure::of_origin(index_, step_.sums, v).variables();
            if (variables.empty())
                decided += bytes(v);
            if (variables.size() != 1 || !space_.options.contains(variables[0]))
                continue;
            const std::vector<double> &of_value = by_strategy(v, variables[0]);
            std::vector<double> &sum = of_layer[variables[0]];
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += of_value[i];
        }
        for (const std::vector<double> &sum : of_layer)
            decided += *std::min_element(sum.begin(), sum.end());
        return decided;
    }

  private:
    /// A gradient may be scattered as soon as it is produced; then its shares count.
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
            const double volume =
                std::accumulate(graph_.values[v].extents.begin(), graph_.values[v].extents.end(),
                                static_cast<double>(graph_.values[v].element_bytes), std::multiplies<>());
            change[step_.facts->lives[v].first] += volume;
            change[step_.facts->lives[v].last + 1] -= volume;
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
    return {least.bytes(false), least.bytes(true)};
}

} // namespace planc::plan
