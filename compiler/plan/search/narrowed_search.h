// search() among the strategies that a plan as fast as the incumbent may use. Strategies that a cheap relaxation of the
// objective (relaxation.h) bounds above the incumbent are pruned before prices are tabulated.
//
// Exact: the search begins with a few strategies per layer, those with the least bounds. If their best plan takes no
// more than the bound of everything else, it is the best of all; otherwise it is the new incumbent.
#pragma once

#include "plan/bounds/marginals.h"
#include "plan/search/search.h"

#include <memory>
#include <optional>

namespace planc::plan {

/// Lower bounds for the plans with each strategy of each layer (infinite above `at_most`), and for all plans. Storages
/// are bounded in turn: if two differ only by what single layers decide, the second begins where the first ended.
class MeshBounds {
  public:
    /// All must outlive this.
    MeshBounds(const StepStructure &step, const Space &space, const MeshShape &shape, const Machine &machine,
               TermCache &cache)
        : step_(step), space_(space), shape_(shape), machine_(machine), cache_(cache) {}
    [[nodiscard]] Marginals of(const Storage &storage, double at_most);
    /// For the last storage: a lower bound for one plan, given the index of each layer's strategy, or `at_most`.
    [[nodiscard]] double of(const std::vector<int> &values) const { return sweeps_->of(values); }

  private:
    /// By layer and strategy, the difference of the storage to the last one. None: more than single layers decide.
    [[nodiscard]] std::optional<std::vector<std::vector<double>>> added_by(const Storage &storage);

    const StepStructure &step_;
    const Space &space_;
    const MeshShape &shape_;
    const Machine &machine_;
    TermCache &cache_;
    std::unique_ptr<MarginalSweeps> sweeps_;
    Storage last_;
};

/// Whether all strategies may be searched at once. `effort`: Request::effort.
[[nodiscard]] bool is_small(const StepStructure &step, const Space &space, double effort);

/// A few strategies per layer, those with the least bounds.
struct Few {
    Space kept;
    double below = 0;        ///< it contains all strategies with a bound of at most this
    double lower_bound = 0;  ///< for all plans with these strategies
    std::vector<int> values; ///< the plan with this bound; empty: there is none
};
[[nodiscard]] Few few_strategies(const StepStructure &step, const Space &space, const MeshShape &shape,
                                 const Machine &machine, const Storage &storage, TermCache &cache,
                                 const Marginals &bounds, double give_up_at, double effort = 1);

/// The same by any bounds: of bytes, for example.
[[nodiscard]] Space few_by(const Marginals &bounds, const StepStructure &step, const Space &space, TermCache &cache,
                           double effort = 1);

/// Like search(), given these bounds and the few strategies to begin with. Every plan within the byte limit that is
/// left out takes at least `give_up_at`, or at least as long as the plan found.
[[nodiscard]] Found narrowed_search(const Request &request, const StepStructure &step, const MeshShape &shape,
                                    const Space &space, const Storage &storage, TermCache &cache,
                                    const Marginals &bounds, const Few &few, const SearchLimits &limits);

} // namespace planc::plan
