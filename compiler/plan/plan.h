// The planner: which mesh axis splits which loop of which layer, so that a training step takes the least time.
//
//   Request request{.graph = graph, .machine = machine, .ranks = 512};
//   request.mesh.axes = {{"rows", 0}, {"cols", 0}};        // sizes open: the planner chooses them
//   request.pins.resize(graph.layers.size());              // or rules of the user, by layer
//   Plan plan = make_plan(request);
//   plan.failure.empty() ? plan.layers : …
//
// The objective is the total of cost::price(): seconds of compute, collectives and reshards, subject to memory per
// rank. It is a sum over layers and values, so variable elimination finds its exact minimum; `lower_bound` certifies
// it.
#pragma once

#include "cost/machine.h"
#include "cost/price.h"
#include "sharding/lay_out.h"

#include <cstdint>
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
using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::Storage;

struct MeshAxis {
    std::string name;
    int size = 0; ///< 0: open
};

struct MeshRequest {
    bool automatic = false; ///< number, names and sizes of the axes are open; `axes` is ignored
    std::vector<MeshAxis> axes;
};

/// A rule of the user on one layer, after precedence: `loop` lies on exactly these axes. A rule on a loop that the
/// layer does not have says nothing.
struct Pin {
    std::string loop;
    std::vector<std::string> axes; ///< major first; empty: not split
    std::string text;              ///< the rule as the user wrote it, for reasons: "batch -> rows"
};

/// What the layout says about one kind of variables; not said: the search may choose, else nothing is stored.
using StoragePin = std::optional<std::vector<std::string>>; ///< axes, major first

/// Rules `store … -> axes`. What is said of parameters holds for gradients unless these have a rule of their own, and
/// what is said of gradients for the optimizer.
struct StorageRules {
    StoragePin parameters;
    StoragePin gradients;
    StoragePin optimizer;
    std::vector<std::string> texts; ///< as the user wrote them: "store params -> rows"
};

/// The micro-batches that have one sample more than those of Request::graph, where the batch does not divide evenly.
struct LargerMicroBatches {
    Graph graph; ///< forward and backward pass; layers and variables correspond by name
    int count = 0;
};

struct Request {
    Graph graph;
    std::optional<LargerMicroBatches> larger;
    Machine machine;
    int ranks = 1;
    MeshRequest mesh;
    std::vector<std::vector<Pin>> pins; ///< per layer; may be shorter than the layers
    StorageRules storage;
    bool search = true; ///< false: what no pin splits is not split (a layout without `auto`)
    /// Per rank; 0: the machine's, which may be none. A layout without `auto` that exceeds the machine's gets a
    /// warning, not an error: the price of memory is an upper bound.
    double memory_limit_bytes = 0;
    bool baselines = true;       ///< price the plans of the literature too
    bool runner_ups = true;      ///< alternatives are shown: find Plan::runner_ups, look at more of the baselines
    std::string batch = "batch"; ///< the role of the samples, for the baselines
};

/// Plans are copied, tables are large.
using SharedCost = std::shared_ptr<const CostTable>;

/// A plan of the literature, priced like the answer.
struct Baseline {
    std::string name; ///< "pure batch", "pure model", "Megatron-style", "batch x model"
    std::vector<std::string> axes;
    Mesh mesh;
    std::vector<LayerStrategy> layers;
    Storage storage; ///< what the rules say
    Seconds seconds{};
    Bytes payload{}; ///< CostTable::payload
    Bytes memory{};
    SharedCost cost;
    std::string excluded;        ///< why it could not be the answer: a pin, memory; empty: it was a candidate
    std::optional<Seconds> step; ///< with overlap; none: not simulated
};

/// The best other choice for one layer with the rest as planned.
struct RunnerUp {
    LayerStrategy strategy;
    Seconds added{};
};

/// The best plan on a shape of the mesh, where the search found it before or after the answer.
struct PassedPlan {
    std::vector<std::string> axes;
    Mesh mesh;
    std::vector<LayerStrategy> layers;
    Storage storage;
    Seconds seconds{};
    SharedCost cost;
};

/// The choice among plans of nearly the least sum and of the literature, by simulated time (plan/near_optimal.h).
struct SimulatedChoice {
    int plans = 1;          ///< that were simulated, the one of the least sum among them
    int further = 0;        ///< of these, plans of the literature that are not of nearly the least sum
    Seconds chosen{};       ///< a step of the answer, with overlap
    Seconds of_least_sum{}; ///< a step of the plan of the least sum, with overlap
    Seconds least_sum{};    ///< its price
};

struct Plan {
    std::string failure;        ///< why there is no plan: one line for the user; empty: there is one
    bool out_of_memory = false; ///< the failure: nothing fits
    Bytes least_memory{};       ///< then: what the smallest plan takes, or a lower bound of that
    std::string warning;        ///< what the user should know of a plan that there is; empty: nothing
    std::vector<std::string> axes;
    Mesh mesh;
    std::vector<LayerStrategy> layers; ///< as Graph::layers
    Storage storage;
    SharedCost cost = std::make_shared<const CostTable>();
    Seconds lower_bound{};                           ///< no plan of the space takes less
    std::vector<std::optional<RunnerUp>> runner_ups; ///< per layer; none: no other choice, or not asked for
    std::vector<Baseline> baselines;
    std::vector<PassedPlan> passed;           ///< in the order of the search; those that it gave up are not among them
    std::optional<SimulatedChoice> simulated; ///< none: the sum alone decided
    int meshes = 0;                           ///< shapes of the mesh that were searched
    std::vector<int> choices;                 ///< per layer: strategies to choose from on the chosen mesh
    bool memory_decided = false;              ///< the fastest plan did not fit
    double memory_limit_bytes = 0;            ///< that held; 0: none
    std::string note;                         ///< what made the search inexact; empty: nothing
    std::shared_ptr<const void> tables;       ///< what the search made; giving it back takes a while

    /// (cost - lower bound) / cost; 0: certified as the minimum.
    [[nodiscard]] double gap() const;
};

/// The fastest plan. Deterministic: equal requests give equal plans.
[[nodiscard]] Plan make_plan(const Request &request);

/// Plan::runner_ups of a plan that was made without them.
[[nodiscard]] std::vector<std::optional<RunnerUp>> find_runner_ups(const Request &request, const Plan &plan);

/// Plan::failure where memory is short: `least` is what the smallest plan takes, or a lower bound of that.
[[nodiscard]] std::string does_not_fit(Bytes least, Bytes limit);

/// Prices given strategies on a given mesh: lay_out() and price().
[[nodiscard]] CostTable evaluate(const Request &request, const Mesh &mesh, const std::vector<std::string> &axes,
                                 const std::vector<LayerStrategy> &layers, const Storage &storage = {});
/// The same for many of them: index and facts are those of the graph.
[[nodiscard]] CostTable evaluate(const Request &request, const sharding::GraphIndex &index,
                                 const cost::GraphFacts &facts, const Mesh &mesh, const std::vector<std::string> &axes,
                                 const std::vector<LayerStrategy> &layers, const Storage &storage = {});

} // namespace planc::plan
