// search() among the strategies alone that a plan as fast as the best known may have: what a cheap relaxation of the
// objective (relaxation.h) bounds above it is left out before prices are tabulated.
//
// Exact: first among a few strategies a layer, those of the least bounds. If the best of them takes no more than the
// bound of anything that was left out, it is the best of all; else it is a limit by which to choose again.
#pragma once

#include "plan/marginals.h"
#include "plan/search.h"

#include <memory>
#include <optional>

namespace planc::plan {

/// What plans with each strategy of each layer take at least (infinite above `at_most`), and all plans together. Of one
/// storage after the other: where those differ by what single layers decide, the next begins where the last one ended.
class MeshBounds {
  public:
    /// All must outlive this.
    MeshBounds(const StepStructure &step, const Space &space, const MeshShape &shape, const Machine &machine,
               TermCache &cache)
        : step_(step), space_(space), shape_(shape), machine_(machine), cache_(cache) {}
    [[nodiscard]] Marginals of(const Storage &storage, double at_most);
    /// Of the last storage: what one plan takes at least, given its strategy of each layer by number, or `at_most`.
    [[nodiscard]] double of(const std::vector<int> &values) const { return sweeps_->of(values); }

  private:
    /// By layer and strategy, what the storage adds to the last one's. None: more than single layers decide.
    [[nodiscard]] std::optional<std::vector<std::vector<double>>> added_by(const Storage &storage);

    const StepStructure &step_;
    const Space &space_;
    const MeshShape &shape_;
    const Machine &machine_;
    TermCache &cache_;
    std::unique_ptr<MarginalSweeps> sweeps_;
    Storage last_;
};

/// A few strategies a layer, those of the least bounds.
struct Few {
    Space kept;
    double below = 0;        ///< all that are bounded by no more are among them
    double lower_bound = 0;  ///< of all plans with them
    std::vector<int> values; ///< the plan that this is the bound of; empty: there is none
};
[[nodiscard]] Few few_strategies(const StepStructure &step, const Space &space, const MeshShape &shape,
                                 const Machine &machine, const Storage &storage, TermCache &cache,
                                 const Marginals &bounds, double give_up_at);

/// As search(), given these bounds and the few strategies to begin with. What is left out, of all plans within the byte
/// limit, takes at least `give_up_at` or what was found.
[[nodiscard]] Found narrowed_search(const Request &request, const StepStructure &step, const MeshShape &shape,
                                    const Space &space, const Storage &storage, TermCache &cache,
                                    const Marginals &bounds, const Few &few, double byte_limit, double give_up_at);

} // namespace planc::plan
