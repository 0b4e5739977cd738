// The planner decides which mesh axis splits which loop of which layer, so that a training step takes the least time.
//
//   Request request{.graph = graph, .machine = machine, .ranks = 512};
//   request.mesh.axes = {{"rows", 0}, {"cols", 0}};        // sizes open: the planner chooses them
//   request.pins.resize(graph.layers.size());              // or rules of the user, by layer
//   Plan plan = make_plan(request);
//   plan.failure.empty() ? plan.layers : …
//
// The objective is the total of cost::price(): seconds of computation, collectives and reshards, subject to a limit on
// the memory of each rank. It is a sum over layers and values, so variable elimination finds its exact minimum;
// `lower_bound` certifies it.
#pragma once

#include "cost/collectives/step_price.h"
#include "cost/machine.h"
#include "cost/price.h"
#include "sharding/lay_out.h"
#include "sharding/reshards.h"
#include "sharding/stages.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::plan {

using cost::Bytes;
using cost::CostTable;
using cost::Machine;
using cost::Seconds;
using sharding::Graph;
using sharding::LayerId;
using sharding::LayerStrategies;
using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::Storage;
using sharding::ValueId;

struct MeshAxis {
    std::string name;
    int size = 0;                ///< 0: open
    std::vector<int> sizes = {}; ///< one for each position along the pipeline's axis; then `size` is the largest
};

struct MeshRequest {
    bool automatic = false; ///< number, names and sizes of the axes are open; of `axes`, only a pipeline's counts
    std::vector<MeshAxis> axes;
};

/// A rule of the user on one layer, after precedence: `loop` is split over exactly these axes. A rule on a loop that
/// the layer does not have has no effect.
struct Pin {
    std::string loop;
    std::vector<std::string> axes; ///< major first; empty: not split
    std::string text;              ///< the rule as the user wrote it, for messages: "batch -> rows"
};

/// The layout's rule for one kind of variables. Without one, the search may choose; otherwise nothing is sharded.
using StoragePin = std::optional<std::vector<std::string>>; ///< axes, major first

/// Rules `store … -> axes`. The rule for parameters also holds for gradients, and that for gradients also for the
/// optimizer's state, unless these have rules of their own.
struct StorageRules {
    StoragePin parameters;
    StoragePin gradients;
    StoragePin optimizer;
    std::vector<std::string> texts; ///< as the user wrote them: "store params -> rows"
};

/// The micro-batches that have one sample more than those of Request::graph, if the batch does not divide evenly.
struct LargerMicroBatches {
    Graph graph; ///< forward and backward pass; layers and variables correspond by name
    int count = 0;
};

/// A pipeline, as far as the layout determines it.
struct PipelineRequest {
    bool wanted = true;          ///< false: plans without one are of interest too
    bool any_depth = true;       ///< false: only those with 2 to 8 micro-batches to a stage
    std::string axis;            ///< of the mesh; no layer is split over it. Empty: open
    std::string schedule;        ///< the name of its maker, or a table (pipeline/makers.h). Empty: open
    int chunks = 1;              ///< stages on each rank of the axis
    std::vector<LayerId> layers; ///< that lie on stages, in the order in which a micro-batch passes them
    std::vector<LayerId> cuts;   ///< a stage begins before each of them; empty: open
};

/// The stages of a pipeline.
struct PipelinePlan {
    std::string axis;
    std::string schedule;
    int chunks = 1;
    sharding::LayerStages stages;
};

/// How far the search is, for a user who waits.
struct Progress {
    int searched = 0; ///< meshes, with each storage
    int all = 0;
    Seconds best{};  ///< of a step; infinite: no plan yet
    Seconds bound{}; ///< no plan takes less
};

struct Request {
    Graph graph;
    std::optional<LargerMicroBatches> larger;
    Machine machine;
    int ranks = 1;
    MeshRequest mesh;
    PerLayer<std::vector<Pin>> pins; ///< may be shorter than the list of layers
    std::optional<PipelineRequest> pipeline;
    StorageRules storage;
    bool search = true; ///< false: what no pin splits stays whole (a layout without `auto`)
    /// Per rank; 0: the machine's limit, if it has one. A layout without `auto` that exceeds the machine's limit gets a
    /// warning and not an error, because the price of memory is an upper bound.
    double memory_limit_bytes = 0;
    static constexpr Seconds unlimited{std::numeric_limits<double>::infinity()};
    Seconds at_most = unlimited; ///< slower plans are of no interest
    bool baselines = true;       ///< also price the plans of the literature
    bool runner_ups = true;      ///< alternatives will be shown: find Plan::runner_ups, consider more baselines
    std::string batch = "batch"; ///< the role of the samples, for the baselines
    /// The work that the search may do, as a multiple of the default, which takes seconds. Work is counted in entries
    /// of tables, in routes between placements, in blocks of needed rows and in branches, so that the answer does not
    /// depend on the computer.
    double effort = 1;
    double share = 1; ///< of that work: what is left for this search where several find one answer
    std::function<void(const Progress &)> progress; ///< called after each part of the search; none: nobody waits
};

/// The limit in force on the bytes of a rank; 0: none.
[[nodiscard]] inline double memory_limit(const Request &request) {
    const bool is_given = request.memory_limit_bytes > 0 || !request.search;
    return is_given ? request.memory_limit_bytes : request.machine.memory_bytes;
}

/// The work of a whole search, in entries of tables that the solver visits: at most a nanosecond each.
[[nodiscard]] inline double allowed_work(const Request &request) {
    constexpr double some_seconds = 8e9;
    return request.effort * some_seconds;
}

/// That of pricing a whole plan, in the same unit.
[[nodiscard]] inline double work_of_price(const Request &request) {
    constexpr double work_of_operation = 10000;
    return work_of_operation * static_cast<double>(request.graph.operations.size());
}

/// Whether the axis has the stages of a pipeline, so that nothing is split over it.
[[nodiscard]] inline bool has_stages(const Request &request, const std::string &axis) {
    return request.pipeline && request.pipeline->axis == axis;
}

/// Shared, because plans are copied and tables are large.
using SharedCost = std::shared_ptr<const CostTable>;

/// A plan of the literature, priced like the answer.
struct Baseline {
    std::string name; ///< "pure batch", "pure model", "Megatron-style", "batch x model"
    std::vector<std::string> axes;
    Mesh mesh;
    LayerStrategies layers;
    Storage storage; ///< as the rules say
    Seconds seconds{};
    Bytes payload{}; ///< CostTable::payload
    Bytes memory{};
    SharedCost cost;
    std::string excluded;        ///< why it cannot be the answer: a pin, memory; empty: it was a candidate
    std::optional<Seconds> step; ///< with overlap; none: not simulated
};

/// The best other strategy of one layer, with all other layers as planned.
struct RunnerUp {
    LayerStrategy strategy;
    Seconds added{}; ///< to the price; may be negative if simulation, a limit on memory or an inexact search decided
};

/// A plan that is not the answer: the best on another shape of the mesh, or the one with the least price.
struct PassedPlan {
    std::vector<std::string> axes;
    Mesh mesh;
    LayerStrategies layers;
    Storage storage;
    Seconds seconds{};
    SharedCost cost;
};

/// The choice by simulated time, among plans of nearly the least price and plans of the literature
/// (plan/near_optimal.h).
struct SimulatedChoice {
    int plans = 1;                      ///< number of simulated plans, including the one with the least price
    int further = 0;                    ///< of these, plans of the literature whose price is not nearly the least
    Seconds chosen{};                   ///< a step of the answer, with overlap
    Seconds of_least_sum{};             ///< a step of the plan with the least price, with overlap
    Seconds least_sum{};                ///< its price
    std::optional<PassedPlan> cheapest; ///< this plan, if another is the answer
};

/// What the search for pipelines came to, if the answer has none.
struct PassedPipelines {
    Seconds bound{};                ///< no pipeline takes less, or none was faster than this
    std::optional<Seconds> fastest; ///< a step of the one that is described here; none: all were slower than the answer
    Seconds answer{};               ///< a step of it, to compare
    bool simulated = false;         ///< both with overlap
    int stages = 0;
    int microbatches = 0;
    std::string schedule;
};

/// The best plan whose sparse products move minimal covers, beside the best one without covers.
struct ComparedCovers {
    std::int64_t parts = 0;
    std::optional<Seconds> with; ///< a step; none: all that were searched were slower by their prices
    Seconds without{};
    bool simulated = false; ///< both with overlap
};

struct Plan {
    std::string failure;          ///< why there is no plan: one line for the user; empty if there is one
    bool out_of_memory = false;   ///< the failure: nothing fits
    Bytes least_memory{};         ///< in that case: the memory of the smallest plan, or a lower bound of it
    bool least_was_found = false; ///< then: of a plan, or of several bounds and plans the least; others may take less
    bool state_is_too_large =
        false;             ///< then: parameters and the optimizer's state alone do not fit, and least_memory is theirs
    bool too_slow = false; ///< the failure: nothing was found below Request::at_most, which is lower_bound
    std::string warning;   ///< a warning to the user about the plan; empty: none
    std::vector<std::string> axes;
    Mesh mesh;
    LayerStrategies layers;
    Storage storage;
    std::optional<PipelinePlan> pipeline;
    std::optional<PassedPipelines> passed_pipelines; ///< none: the search did not look for pipelines
    std::optional<ComparedCovers> covers;            ///< one of the two plans is this; none: they were not compared
    std::optional<Seconds> without_pipeline;         ///< a step of the fastest plan without one; none: nothing fits
    std::vector<Plan> other_pipelines; ///< the fastest with other numbers of stages a rank, and with replicas of the
                                       ///< weights: prices of these schedules differ in how exact they are
    SharedCost cost = std::make_shared<const CostTable>();
    Seconds lower_bound{};                        ///< no plan of the space has a lower price
    PerLayer<std::optional<RunnerUp>> runner_ups; ///< none: no other choice, or not asked for
    std::vector<Baseline> baselines;
    std::vector<PassedPlan> passed;           ///< in the order of the search, without those that it gave up
    std::optional<SimulatedChoice> simulated; ///< none: the price alone decided
    int meshes = 0;                           ///< shapes of the mesh that were searched
    int most_groups = 0;                      ///< the least Space::most_groups of these shapes; 0: none is limited
    PerLayer<int> choices;                    ///< the number of strategies on the chosen mesh
    bool memory_decided = false;              ///< the fastest plan did not fit
    double memory_limit_bytes = 0;            ///< the limit in force; 0: none
    Bytes program{};                          ///< of a rank, exactly; 0: the plan was not scheduled
    double share = 0;                         ///< of the work that Request::effort allows: what was done
    std::string note;                         ///< why the search was not exact; empty: it was

    /// The optimality gap, (cost - lower bound) / cost; 0: certified as the minimum.
    [[nodiscard]] double gap() const;
};

[[nodiscard]] inline bool has_plan(const Plan &plan) {
    return plan.failure.empty();
}

/// The fastest plan; with a pipeline, if one is wanted; else without. Deterministic: equal requests give equal plans.
[[nodiscard]] Plan make_plan(const Request &request);

/// Computes Plan::runner_ups of a plan that was made without them.
[[nodiscard]] PerLayer<std::optional<RunnerUp>> find_runner_ups(const Request &request, const Plan &plan);
/// Sets Plan::runner_ups and Plan::choices of such a plan.
void add_alternatives(const Request &request, Plan &plan);

/// What is known of the least memory of a rank.
enum class Least : std::uint8_t {
    bound, ///< no plan takes less
    state, ///< parameters and the optimizer's state alone take as much
    found, ///< the smallest plan that is known takes as much
};
/// Parameters and the optimizer's state, divided evenly among all ranks: no plan takes less, with a pipeline or
/// without.
[[nodiscard]] Bytes least_state(const Request &request);

/// The text of Plan::failure if memory is short.
[[nodiscard]] std::string does_not_fit(Bytes least, Bytes limit, Least is = Least::bound);

/// The text of Plan::warning if a plan takes more memory than the machine has; else empty.
[[nodiscard]] std::string warning_of_memory(const CostTable &cost, const Machine &machine);

/// Whether the step is small enough to be simulated: with 2,500 operations, a simulation takes some tenths of a second.
[[nodiscard]] inline bool may_be_simulated(const Graph &graph) {
    return graph.operations.size() <= 2500;
}

/// The price of given strategies on a given mesh: lay_out() and price().
[[nodiscard]] CostTable evaluate(const Request &request, const Mesh &mesh, const std::vector<std::string> &axes,
                                 const LayerStrategies &layers, const Storage &storage = {});
/// The routes and prices that are known on one mesh.
struct KnownPrices {
    sharding::MeshReshards reshards;
    cost::StepPrices prices;
    /// Both must outlive this.
    KnownPrices(const Mesh &mesh, const Machine &machine) : reshards(mesh), prices(mesh, machine) {}
    /// Of a role of the whole mesh.
    KnownPrices(const Mesh &mesh, const Mesh &whole, const planrt::Role &role, const Machine &machine)
        : reshards(mesh), prices(mesh, whole, role, machine) {}
    /// The work of finding them, in the unit of allowed_work(): a route takes about 15 microseconds, and each block of
    /// needed rows half a microsecond more. Counted where strategies are searched.
    [[nodiscard]] double work() const {
        constexpr double work_of_route = 15000;
        constexpr double work_of_block = 500;
        return work_of_route * reshards.routes() +
               work_of_block * (reshards.blocks_of_needed() + prices.blocks_of_needed());
    }
};
/// The same for many of them; index and facts belong to the graph.
[[nodiscard]] CostTable evaluate(const Request &request, const sharding::GraphIndex &index,
                                 const cost::GraphFacts &facts, const Mesh &mesh, const std::vector<std::string> &axes,
                                 const LayerStrategies &layers, const Storage &storage, KnownPrices &known);

} // namespace planc::plan
