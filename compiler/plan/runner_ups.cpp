#include "plan/parallel.h"
#include "plan/search.h"
#include "plan/term_builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace planc::plan {

namespace {

constexpr std::size_t most_at_once = 4;   ///< parts of the layers
constexpr std::size_t least_at_once = 16; ///< layers of a part

/// A space in which each layer has only its planned strategy. Equal lists are one object, so that terms of equal
/// structure share tables.
Space one_each(const LayerStrategies &layers) {
    std::map<std::pair<std::vector<std::string>, std::vector<int>>, std::shared_ptr<const Strategies>> known;
    Space space;
    for (const LayerStrategy &layer : layers) {
        std::shared_ptr<const Strategies> &list = known[{layer.loop_of_axis, layer.order}];
        if (!list)
            list = std::make_shared<const Strategies>(Strategies{layer});
        space.options.push_back(list);
    }
    return space;
}

/// The terms that depend on one layer, for one layer after another.
class LayerTerms : TermBuilder {
  public:
    LayerTerms(const StepStructure &step, const Space &space, const MeshShape &shape, const Machine &machine,
               const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, shape.mesh, machine, storage, cache) {}

    /// For the space in its current state.
    Objective of(LayerId layer) {
        cache_.keep(space_.options[layer]);
        for (const OperationId o : step_.operations_of_layer[layer])
            add_operation(o);
        for (const ValueId v : step_.values_of_layer[layer])
            add_value(v);
        Objective objective;
        objective.terms = std::exchange(objective_.terms, {});
        return objective;
    }
};

/// A plan, and how it changes if one layer has another strategy.
class Alternatives {
  public:
    Alternatives(const StepStructure &step, const MeshShape &shape, const Space &space, const Machine &machine,
                 const Storage &storage, TermCache &cache, const LayerStrategies &layers, double byte_limit)
        : space_(space), planned_(layers), byte_limit_(byte_limit), cache_(cache), open_(one_each(layers)),
          all_(sums(make_objective(step, open_, shape.mesh, machine, storage, cache), {}, 0)),
          terms_(step, open_, shape, machine, storage, cache) {}

    std::optional<RunnerUp> of(LayerId layer) {
        const std::shared_ptr<const Strategies> alone = std::exchange(open_.options[layer], space_.options[layer]);
        const Objective terms = terms_.of(layer);
        open_.options[layer] = alone;
        const Strategies &options = *space_.options[layer];
        const auto planned = std::find(options.begin(), options.end(), planned_[layer]);
        if (planned == options.end())
            return std::nullopt;
        const Sums before = sums(terms, layer, static_cast<int>(planned - options.begin()));
        std::optional<RunnerUp> best;
        for (int value = 0; value < static_cast<int>(options.size()); ++value) {
            if (value == planned - options.begin())
                continue;
            const Sums after = sums(terms, layer, value);
            if (byte_limit_ > 0 && all_.bytes - before.bytes + after.bytes > byte_limit_)
                continue;
            const double added = after.seconds - before.seconds + latency_added(before, after);
            if (!best || added < best->added.value)
                best = RunnerUp{options[value], Seconds(added)};
        }
        return best;
    }

  private:
    struct Sums {
        double seconds = 0;
        double bytes = 0;             ///< of what lives through the step
        std::array<int, 32> joined{}; ///< per set of bucket axes: entries that join it
    };

    /// The sums of all terms if `layer` has `value` and all other layers have their only strategy.
    static Sums sums(const Objective &objective, LayerId layer, int value) {
        Sums sums;
        for (const Term &term : objective.terms) {
            const auto at = std::find(term.layers.begin(), term.layers.end(), layer) - term.layers.begin();
            const bool open = at < static_cast<std::ptrdiff_t>(term.layers.size());
            const std::size_t entry = open ? static_cast<std::size_t>((*term.class_of[at])[value]) : 0;
            sums.seconds += term.table->prices.seconds[entry];
            sums.bytes += term.life.first || term.table->prices.bytes.empty() ? 0 : term.table->prices.bytes[entry];
            for (std::size_t set = 0; set < sums.joined.size() && !term.table->fused.empty(); ++set)
                sums.joined[set] += static_cast<int>(term.table->fused[entry] >> set & 1);
        }
        return sums;
    }

    [[nodiscard]] double latency_added(const Sums &before, const Sums &after) const {
        double added = 0;
        for (std::size_t set = 0; set < cache_.bucket_latency.size(); ++set) {
            const int others = all_.joined[set] - before.joined[set];
            const int used_before = others + before.joined[set] > 0 ? 1 : 0;
            const int used_after = others + after.joined[set] > 0 ? 1 : 0;
            added += (used_after - used_before) * cache_.bucket_latency[set];
        }
        return added;
    }

    const Space &space_;
    const LayerStrategies &planned_;
    double byte_limit_;
    TermCache &cache_;
    Space open_; ///< each layer with its planned strategy only, but the one that is looked at
    Sums all_;
    LayerTerms terms_;
};

} // namespace

PerLayer<std::optional<RunnerUp>> runner_ups(const StepStructure &step, const MeshShape &shape, const Space &space,
                                             const Machine &machine, const Storage &storage, TermCache &cache,
                                             const LayerStrategies &layers, double byte_limit) {
    PerLayer<std::optional<RunnerUp>> result(layers.size());
    const std::size_t parts = std::clamp<std::size_t>(layers.size() / least_at_once, 1, most_at_once);
    in_parallel(parts, [&](std::size_t part) {
        std::optional<TermCache> own;
        if (part > 0)
            own.emplace(shape.mesh, machine);
        Alternatives alternatives(step, shape, space, machine, storage, part > 0 ? *own : cache, layers, byte_limit);
        const LayerId end(layers.size() * (part + 1) / parts);
        for (LayerId layer(layers.size() * part / parts); layer < end; ++layer)
            result[layer] = alternatives.of(layer);
    });
    return result;
}

} // namespace planc::plan
