// The planner's objective on one mesh as a search problem: one term per operation (its computation) and one per value
// (the communication of its copies, the memory that they take, and when).
//
// A term depends on few layers, and terms of equal structure share their table: a perceptron of a thousand equal layers
// has as many distinct tables as one of four.
//
// The sum of the terms is the total of cost::price(), with two exceptions. The latency of fused gradients is paid once
// per bucket, so terms leave it out and say over which axes they would join a bucket (`fused`). Sums with a companion
// (sharding/joint_sums.h) are assumed to travel with it.
#pragma once

#include "cost/memory.h"
#include "plan/numbered_placements.h"
#include "plan/problem.h"
#include "plan/space.h"
#include "plan/structure.h"
#include "plan/transfer_bound.h"
#include "plan/value_price.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planc::plan {

struct TermTable {
    Table prices;
    std::vector<std::uint32_t> fused; ///< per entry: bit set of Objective::bucket_latency; empty: none
};

struct Term {
    std::vector<LayerId> layers; ///< ascending
    std::vector<std::shared_ptr<const std::vector<int>>> class_of;
    std::vector<int> classes;
    std::shared_ptr<const TermTable> table;
    cost::Life life; ///< operations between which its bytes are in memory
};

struct Objective {
    std::vector<int> domains; ///< per layer: number of strategies. The layers are the variables of the problem
    std::vector<Term> terms;
    std::vector<double> bucket_latency; ///< seconds, per set of axes that some fused gradient is reduced over
    /// Values whose communication depends on too many choices to be tabulated. They are left out, so that the sum is
    /// only a lower bound.
    std::vector<ValueId> left_out;
};

/// Numbers of the placements of an operation's tensors, for each strategy of its layer.
struct PlacedOperation {
    std::vector<std::vector<int>> operands;
    std::vector<std::vector<int>> results;
};

/// The same for an operation through which partial sums may pass; also for each set of axes over which they do.
struct PassingOperation {
    struct Placed {
        std::vector<int> operands;
        std::vector<int> results;
        std::int64_t largest = 0; ///< elements of the largest part of any result on one rank
    };
    std::vector<std::uint32_t> free;                        ///< per strategy: axes that split nothing of the operation
    std::map<std::pair<int, std::uint32_t>, Placed> placed; ///< by strategy and axes
};

/// How the partial sums of a numbered placement affect the sums to which they are added.
struct PartialSums {
    bool known = false;
    std::uint32_t axes = 0; ///< of sums, not of maxima
    std::int64_t largest = 0;
};

/// Strategies of a layer that a term does not distinguish form a class.
struct StrategyClasses {
    std::shared_ptr<const std::vector<int>> of_strategy;
    int count = 0;
    int number = 0; ///< the number of this classification
};

/// A list of strategies that was selected from another list.
struct Narrowed {
    std::shared_ptr<const Strategies> from;
    std::vector<int> places; ///< the index of each strategy in that list
};

/// The classes for the layers of one kind of term, by the index of the layer in the term.
struct ClassesOfKind {
    std::size_t place = 0;
    const Strategies *options = nullptr;
    const StrategyClasses *classes = nullptr;
};

/// A cache that objectives of one mesh and space share, whatever the storage: most terms do not depend on storage.
struct TermCache {
    std::unordered_map<std::string, std::shared_ptr<const TermTable>> tables;
    std::unordered_map<std::string, StrategyClasses> classes;
    std::vector<std::vector<ClassesOfKind>> of_kind; ///< by kind of term
    std::map<const Strategies *, Narrowed> narrowed;
    std::map<std::pair<int, const Strategies *>, PlacedOperation> placed; ///< by kind of nest
    std::map<std::pair<int, const Strategies *>, PassingOperation> passing;
    std::map<std::pair<const sharding::Reshards *, int>, NumberedPlacements> numbered; ///< by shape and reduction
    std::map<const sharding::Reshards *, std::vector<PartialSums>> sums;               ///< by number of the placement
    std::map<std::pair<bool, std::vector<int>>, int> buckets;                          ///< norms or gradients, axes
    std::vector<double> bucket_latency;
    MeshReshards reshards;
    MeshPrices prices;
    TransferBounds transfers;

    /// Both must outlive this.
    TermCache(const Mesh &mesh, const Machine &machine)
        : reshards(mesh), prices(mesh, machine), transfers(mesh, machine) {}
    /// The keys of `classes`, `of_kind`, `narrowed`, `tables`, `placed` and `passing` contain the addresses of these
    /// lists, so they must be kept.
    void keep(const std::shared_ptr<const Strategies> &options) { options_.insert(options); }

  private:
    std::set<std::shared_ptr<const Strategies>> options_;
};

[[nodiscard]] Objective make_objective(const StepStructure &step, const Space &space, const Mesh &mesh,
                                       const Machine &machine, const Storage &storage, TermCache &cache);

/// The objective as a problem in which strategies that would reduce over a set of `forbidden` buckets cost infinity.
/// Bytes are the average over some `operations` of what is in memory then: a lower bound of cost::Memory::total(),
/// whichever operations they are. Without operations, the bytes are those that live through the step.
class Problems {
  public:
    explicit Problems(const Objective &objective);
    /// Valid until the next call.
    [[nodiscard]] Problem &without(std::uint32_t forbidden, double byte_limit, const std::set<OperationId> &operations);
    /// The sets of buckets that an assignment uses. `values`: the number of each layer's strategy.
    [[nodiscard]] std::uint32_t used(const std::vector<int> &values) const;

  private:
    /// The share of the operations during which something is in memory.
    static double share(const cost::Life &life, const std::set<OperationId> &operations);
    std::shared_ptr<const Table> changed(const TermTable &table, std::uint32_t forbidden, double byte_share);

    const Objective &objective_;
    Problem problem_;
    std::map<std::tuple<const TermTable *, std::uint32_t, double>, std::shared_ptr<const Table>> known_;
};

} // namespace planc::plan
