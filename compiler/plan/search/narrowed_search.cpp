#include "plan/search/narrowed_search.h"

#include "plan/bounds/relaxation.h"
#include "plan/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace planc::plan {

namespace {

/// The average number of strategies per layer in the first search: between these limits, and larger if there are fewer
/// kinds of layers.
constexpr std::size_t fewest_of_layer = 6;
constexpr std::size_t most_of_layer = 20;
constexpr double few_pairs = 4500;        ///< of strategies, in the tables of pairs of all kinds of layers
constexpr double most_entries = 100'000;  ///< of the tables of all pairs of layers, for a search that is exact
constexpr double solves_under_limit = 30; ///< where one is enough if memory does not decide

/// Layers that have the same operations and the same strategies to choose from. They keep the same strategies, so that
/// they continue to share their tables.
PerLayer<int> kinds_of_layers(const StepStructure &step, const Space &space) {
    PerLayer<std::vector<int>> operations(space.options.size());
    for (const OperationId o : step.operations.ids())
        operations[step.index.graph.operations[o].layer].push_back(step.operations[o].kind);
    std::map<std::pair<const Strategies *, std::vector<int>>, int> known;
    PerLayer<int> kinds;
    for (const LayerId l : operations.ids())
        kinds.push_back(
            known.emplace(std::pair(space.options[l].get(), std::move(operations[l])), static_cast<int>(known.size()))
                .first->second);
    return kinds;
}

class Narrowing {
  public:
    Narrowing(const StepStructure &step, const Space &space, const Marginals &marginals)
        : space_(space), kind_(kinds_of_layers(step, space)), marginals_(marginals) {}

    /// The strategies that no bound excludes from a plan of `at_most` seconds.
    [[nodiscard]] Space kept(double at_most, TermCache &cache) const {
        std::map<int, std::vector<bool>> kept;
        for (const LayerId l : kind_.ids()) {
            std::vector<bool> &of_kind = kept[kind_[l]];
            of_kind.resize(space_.options[l]->size(), false);
            for (std::size_t i = 0; i < of_kind.size(); ++i)
                of_kind[i] = of_kind[i] || marginals_.of[l.index()][i] <= at_most;
        }
        std::map<int, std::shared_ptr<const Strategies>> lists;
        Space result;
        for (const LayerId l : kind_.ids()) {
            std::shared_ptr<const Strategies> &list = lists[kind_[l]];
            if (!list)
                list = chosen(space_.options[l], kept[kind_[l]], cache);
            result.options.push_back(list);
        }
        return result;
    }

    /// The largest bound at which layers keep only few strategies on average; each keeps at least one.
    [[nodiscard]] double bound_of_few(double effort) const {
        const std::set<int> kinds(kind_.begin(), kind_.end());
        const auto of_layer = std::clamp(
            static_cast<std::size_t>(std::sqrt(effort * few_pairs / std::max(1.0, static_cast<double>(kinds.size())))),
            fewest_of_layer, most_of_layer);
        std::vector<double> all;
        for (std::size_t l = 0; l < kind_.size(); ++l)
            all.insert(all.end(), marginals_.of[l].begin(), marginals_.of[l].end());
        const std::size_t kept = of_layer * kind_.size();
        if (kept >= all.size())
            return infinity;
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
        return std::max(all[kept], marginals_.lower_bound);
    }

  private:
    static std::shared_ptr<const Strategies> chosen(const std::shared_ptr<const Strategies> &options,
                                                    const std::vector<bool> &kept, TermCache &cache) {
        auto list = std::make_shared<Strategies>();
        for (std::size_t i = 0; i < options->size(); ++i)
            if (kept[i])
                list->push_back((*options)[i]);
        cache.keep(list);
        return list;
    }

    const Space &space_;
    PerLayer<int> kind_;
    const Marginals &marginals_;
};

/// The best plan with these strategies by its lower bound, which ignores routes but knows all readers of a value.
Solution best_by_bounds(const StepStructure &step, const Space &space, const MeshShape &shape, const Machine &machine,
                        const Storage &storage, TermCache &cache) {
    const Objective relaxed = relaxed_objective(step, space, shape.mesh, machine, storage, cache, space.options.size());
    return minimise(Problems(relaxed).without(0, infinity, {}));
}

/// The approximate size of the tables of layers that share values. A value with many readers has one for each.
double entries(const StepStructure &step, const Space &space) {
    std::set<std::vector<const Strategies *>> counted;
    double sum = 0;
    const auto add = [&](const std::vector<LayerId> &variables) {
        std::vector<const Strategies *> lists;
        double product = 1;
        for (const LayerId layer : variables)
            if (space.options.contains(layer)) {
                lists.push_back(space.options[layer].get());
                product *= static_cast<double>(lists.back()->size());
            }
        sum += counted.insert(lists).second ? product : 0;
    };
    for (const ValueId v : step.values.ids()) {
        if (step.readers[v].empty())
            add(step.values[v].variables);
        for (const StepStructure::Reader &reader : step.readers[v])
            add(reader.variables);
    }
    return sum;
}

} // namespace

bool is_small(const StepStructure &step, const Space &space, double effort) {
    return entries(step, space) <= effort * most_entries;
}

Marginals MeshBounds::of(const Storage &storage, double at_most) {
    const auto added = sweeps_ ? added_by(storage) : std::nullopt;
    if (!added || !sweeps_->add(*added, at_most)) {
        const Objective relaxed = relaxed_objective(step_, space_, shape_.mesh, machine_, storage, cache_);
        sweeps_ = std::make_unique<MarginalSweeps>(Problems(relaxed).without(0, infinity, {}), at_most);
    }
    last_ = storage;
    return sweeps_->run();
}

std::optional<std::vector<std::vector<double>>> MeshBounds::added_by(const Storage &storage) {
    std::vector<std::vector<double>> added;
    for (const auto &options : space_.options)
        added.emplace_back(options->size(), 0.0);
    for (const Storage *each : std::array<const Storage *, 2>{&last_, &storage}) {
        const double sign = each == &storage ? 1 : -1;
        const Objective terms = relaxed_stored(step_, space_, shape_.mesh, machine_, *each, cache_);
        for (const Term &term : terms.terms) {
            if (term.variables.size() != 1)
                return std::nullopt;
            std::vector<double> &of_layer = added[term.variables[0].index()];
            for (std::size_t i = 0; i < of_layer.size(); ++i)
                of_layer[i] += sign * term.table->prices.seconds[(*term.class_of[0])[i]];
        }
    }
    return added;
}

Few few_strategies(const StepStructure &step, const Space &space, const MeshShape &shape, const Machine &machine,
                   const Storage &storage, TermCache &cache, const Marginals &bounds, double give_up_at,
                   double effort) {
    Few few;
    few.lower_bound = bounds.lower_bound;
    if (bounds.lower_bound >= give_up_at)
        return few;
    const Narrowing narrowing(step, space, bounds);
    few.below = std::min(narrowing.bound_of_few(effort), give_up_at);
    few.kept = narrowing.kept(few.below, cache);
    const Solution best = best_by_bounds(step, few.kept, shape, machine, storage, cache);
    few.lower_bound = std::max(few.lower_bound, best.lower_bound);
    few.values = best.values;
    return few;
}

Space few_by(const Marginals &bounds, const StepStructure &step, const Space &space, TermCache &cache, double effort) {
    const Narrowing narrowing(step, space, bounds);
    return narrowing.kept(narrowing.bound_of_few(effort), cache);
}

Found narrowed_search(const Request &request, const StepStructure &step, const MeshShape &shape, const Space &space,
                      const Storage &storage, TermCache &cache, const Marginals &bounds, const Few &few,
                      const SearchLimits &limits) {
    const double give_up_at = limits.give_up_at;
    Found nothing;
    nothing.lower_bound = std::min(bounds.lower_bound, give_up_at); // bounds above that are not told apart
    if (bounds.lower_bound >= give_up_at)
        return nothing;
    const Narrowing narrowing(step, space, bounds);
    double work = 0;
    const auto among = [&](const Space &kept, double lower_bound, double limit) {
        Found found;
        found.lower_bound = lower_bound;
        if (lower_bound < limit)
            found = search(request, step, shape, kept, storage, cache, {limits.bytes, limit, limits.work - work});
        work += found.work;
        found.work = work;
        return found;
    };
    Found found = among(few.kept, few.lower_bound, give_up_at);
    const double limit = found.feasible ? std::min(found.cost->seconds().value, give_up_at) : give_up_at;
    const Space rest = narrowing.kept(limit * (1 + rounding), cache);
    const bool known = found.feasible || give_up_at < infinity; // a plan, here or elsewhere
    const double effort = request.effort / (found.memory_decided ? solves_under_limit : 1);
    const bool too_large = !is_small(step, rest, effort) || work >= limits.work;
    const bool too_many = known && limit > few.below && !is_tiny(rest) && too_large;
    if (limit <= few.below || too_many) {
        found.lower_bound = std::min(found.lower_bound, too_many ? few.below : limit);
        found.too_many = too_many;
        return found;
    }
    const double least =
        limit < infinity ? best_by_bounds(step, rest, shape, request.machine, storage, cache).lower_bound : 0;
    Found better = among(rest, least, limit);
    better.lower_bound = std::min(better.lower_bound, limit);
    if (!found.feasible || (better.feasible && better.cost->seconds() < found.cost->seconds()))
        return better;
    found.lower_bound = better.lower_bound;
    found.work = better.work;
    found.memory_decided = better.memory_decided;
    found.complete &= better.complete;
    return found;
}

} // namespace planc::plan
