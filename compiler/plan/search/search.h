// The fastest strategies on one mesh with a given storage, with a certificate.
//
// minimise() finds the least sum of the terms. Two things are not sums over terms. The latency of fused gradients is
// paid once per set of axes: branch and bound over the sets that occur. Memory that does not live through the step is
// known only for a whole plan: the limit on the rest is tightened until the plan fits.
#pragma once

#include "plan/plan.h"
#include "plan/space/space.h"
#include "plan/terms/objective.h"

#include <limits>
#include <memory>
#include <vector>

namespace planc::plan {

struct Found {
    bool feasible = false;
    std::vector<int> values; ///< per variable; of a layer: index into the space's options
    LayerStrategies layers;  ///< the strategies of `values`
    SharedCost cost = std::make_shared<const CostTable>();
    double lower_bound = 0;
    bool memory_decided = false;
    double least_bytes = 0; ///< if nothing fits: a lower bound on the memory, or the memory of the smallest plan seen
    bool least_was_seen = false; ///< then: the latter, so others may take less
    bool complete = true;        ///< Objective::is_exact
    double work = 0;             ///< that was done: Memo::work
    bool too_many = false;       ///< there may be better strategies that were not searched: narrowed_search()
};

struct SearchLimits {
    double bytes = 0;                                      ///< on cost::Memory::total(); 0: none
    double give_up_at = Request::unlimited.value;          ///< in seconds; slower plans are of no interest
    double work = std::numeric_limits<double>::infinity(); ///< Found::work after which the best so far stands
};

[[nodiscard]] Found search(const Request &request, const StepStructure &step, const MeshShape &shape,
                           const Space &space, const Storage &storage, TermCache &cache, const SearchLimits &limits);

/// A lower bound of the memory of all plans, if it is above the limit; else 0.
[[nodiscard]] double least_memory(const Request &request, const StepStructure &step, const MeshShape &shape,
                                  const Space &space, const Storage &storage, TermCache &cache, double byte_limit);

/// The plan with the least memory that is found, however slow.
[[nodiscard]] Found smallest(const Request &request, const StepStructure &step, const MeshShape &shape,
                             const Space &space, const Storage &storage, TermCache &cache);

/// The strategies with the indices `values`.
[[nodiscard]] LayerStrategies chosen(const Space &space, const std::vector<int> &values);

} // namespace planc::plan
