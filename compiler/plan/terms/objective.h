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
#include "plan/solver/problem.h"
#include "plan/space/space.h"
#include "plan/terms/numbered_placements.h"
#include "plan/terms/structure.h"
#include "plan/transfers/transfer_bound.h"
#include "plan/transfers/value_price.h"

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
    std::vector<LayerId> variables; ///< ascending: layers, sums, readers (structure.h)
    std::vector<std::shared_ptr<const std::vector<int>>> class_of;
    std::vector<int> classes;
    std::shared_ptr<const TermTable> table;
    cost::Life life; ///< operations between which its bytes are in memory
    /// It binds its last variable, which is no layer, to those before it: infinite but for one of its values.
    bool binds = false;
};

struct Objective {
    std::vector<int> domains; ///< per variable: how many strategies of a layer, sets of axes of a sum, or sets of
                              ///< placements after a reader
    std::vector<Term> terms;
    bool is_exact = true; ///< false: something depends on too many choices, and the sum is only a lower bound
    std::vector<double> bucket_latency; ///< seconds, per set of axes that some fused gradient is reduced over
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
    std::vector<sharding::Strategy> strategies;             ///< of the operation, by that of the layer
    std::vector<std::uint32_t> free;                        ///< of them: axes that split nothing of the operation
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

/// Distinct placements in which readers want a value, each with the index of the first need for it.
using WantedPlacements = std::vector<std::pair<int, std::size_t>>;

/// The tables of a value whose readers are taken one after another (StepStructure::Reader).
struct ReaderTables {
    std::vector<int> sets;                               ///< after each reader: the number of sets of wanted placements
    std::vector<std::shared_ptr<const TermTable>> steps; ///< zero for the set that follows, else infinite
    std::shared_ptr<const TermTable> price;              ///< by origin and last set
    bool is_exact = true;                                ///< false: there are too many sets; the largest are not priced
};

/// The terms of one operation, value or sum, which others of its kind have too. Their variables are places in the list
/// of those of the scope, then of the value's readers.
struct AlikeTerms {
    std::vector<Term> terms;
    std::vector<int> of_readers; ///< domains of the readers' variables
    bool is_exact = true;
};

struct AlikeHash {
    std::size_t operator()(const std::vector<std::uintptr_t> &key) const {
        std::size_t hash = 0;
        for (const std::uintptr_t number : key)
            hash = (hash ^ number) * 0x9e3779b97f4a7c15U;
        return hash ^ hash >> 32U;
    }
};

/// A cache that objectives of one mesh and space share, whatever the storage: most terms do not depend on storage.
struct TermCache {
    double largest_term = 1 << 16; ///< entries of a table that are priced one by one; readers of a larger one are taken
                                   ///< one after another, because pricing it would take seconds
    double work = 0;               ///< of making tables so far, in the unit of allowed_work()
    std::unordered_map<std::string, std::shared_ptr<const TermTable>> tables;
    /// By the price that is asked for, the kind of the scope, the storage where it matters, and the lists of
    /// strategies.
    std::unordered_map<std::vector<std::uintptr_t>, AlikeTerms, AlikeHash> alike;
    std::map<std::string, std::uintptr_t> storages; ///< numbers from 1
    std::unordered_map<std::string, std::shared_ptr<const ReaderTables>> readers;
    /// By term: for each variable, classes of values that have equal placements, and how many.
    std::unordered_map<std::string, std::vector<std::pair<std::shared_ptr<const std::vector<int>>, int>>> merged;
    std::map<std::vector<int>, std::shared_ptr<const std::vector<int>>> merged_classes; ///< by content
    std::map<std::vector<double>, std::shared_ptr<const TermTable>> reader_steps;       ///< by content: most are alike
    std::map<int, std::shared_ptr<const std::vector<int>>> each_value;                  ///< 0, 1, … of so many values
    std::unordered_map<std::string, StrategyClasses> classes;
    std::map<std::pair<int, const Strategies *>, PlacedOperation> placed; ///< by kind of nest
    std::map<std::pair<int, const Strategies *>, PassingOperation> passing;
    std::map<std::pair<const sharding::Reshards *, int>, NumberedPlacements> numbered; ///< by shape and reduction
    std::map<const sharding::Reshards *, std::vector<PartialSums>> sums;               ///< by number of the placement
    std::map<std::pair<bool, std::vector<int>>, int> buckets;                          ///< norms or gradients, axes
    std::vector<double> bucket_latency;
    std::vector<std::uint32_t> sets_of_sums; ///< of axes, by the value of a sum
    StrategyClasses classes_of_sums;         ///< each value is its own
    KnownPrices known;
    MeshPrices links;
    TransferBounds transfers;

    /// Both must outlive this.
    TermCache(const Mesh &mesh, const Machine &machine);
    /// The keys of `classes`, `alike`, `tables`, `placed` and `passing` contain the addresses of these lists, so they
    /// must be kept.
    void keep(const std::shared_ptr<const Strategies> &options) { options_.insert(options); }
    void forget_tables() {
        tables.clear();
        alike.clear();
    }

  private:
    std::set<std::shared_ptr<const Strategies>> options_;
};

[[nodiscard]] Objective make_objective(const StepStructure &step, const Space &space, const Mesh &mesh,
                                       const Machine &machine, const Storage &storage, TermCache &cache);

/// The objective as a problem in which strategies that would reduce over a set of `forbidden` buckets cost infinity.
/// Bytes are the average over some sets of `operations`, and within each over its operations, of what is in memory
/// then: a lower bound of cost::Memory::total(), whichever operations they are. Without operations, the bytes are those
/// that live through the step.
class Problems {
  public:
    /// `effort`: Request::effort.
    explicit Problems(const Objective &objective, double effort = 1);
    /// Valid until the next call.
    [[nodiscard]] Problem &without(std::uint32_t forbidden, double byte_limit,
                                   const std::vector<std::set<OperationId>> &operations);
    /// The sets of buckets that an assignment uses. `values`: per variable.
    [[nodiscard]] std::uint32_t used(const std::vector<int> &values) const;

  private:
    /// The share of the operations during which something is in memory.
    static double share(const cost::Life &life, const std::vector<std::set<OperationId>> &operations);
    std::shared_ptr<const Table> changed(const TermTable &table, std::uint32_t forbidden, double byte_share);

    const Objective &objective_;
    Problem problem_;
    std::map<std::tuple<const TermTable *, std::uint32_t, double>, std::shared_ptr<const Table>> known_;
};

} // namespace planc::plan
