// lay_out(): what a complete choice of strategies communicates. The cost model prices what it returns, the lowering
// emits what it returns; nothing else in the compiler knows about communication.
//
//   derive()    one operation under one strategy: where operands are wanted, where results lie
//   reshard()   one tensor from one placement to another: the collectives, in order
//   lay_out()   a whole graph: derive() on every operation, reshard() for every distinct wanted placement
#pragma once

#include "sharding/graph.h"
#include "sharding/graph_index.h"

#include <planrt/layout.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planc::sharding {

using planrt::CollectiveKind;
using planrt::Mesh;
using planrt::Placement;

/// The strategy of a layer on one of its operations' nests (loops by name; axes of absent or whole loops: none).
/// Operations that follow a parameter do not follow their layer: see strategy_of().
[[nodiscard]] Strategy bind(const LayerStrategy &strategy, const Nest &nest, const Mesh &mesh);

struct Derived {
    std::vector<Placement> operands; ///< wanted
    std::vector<Placement> results;  ///< partial along the axes of split reduced loops
};
/// Axes of the mesh with one rank cut nothing, so no placement names them.
/// `partial_in`: for a linear nest the axes along which all operands may come as partial sums (none of them used by
/// the strategy); they pass into the results.
[[nodiscard]] Derived derive(const Nest &nest, const Strategy &strategy, const Mesh &mesh,
                             const std::vector<int> &partial_in = {});
/// One of its operands or results alone. They depend on what the strategy does with this one's loops, its order and its
/// stored axes, a result's also on what it does with reduced loops.
[[nodiscard]] Placement derive_operand(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int operand);
[[nodiscard]] Placement derive_result(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int result);

struct Step {
    CollectiveKind kind = CollectiveKind::slice;
    std::vector<int> axes; ///< of the group, ascending
    Placement from;
    Placement to;
    friend bool operator==(const Step &, const Step &) = default;
};
/// Steps that turn `from` into `to`; none if they are equal. `to` may be partial only along axes along which `from` is.
/// Into windows the last step is an exchange, in which each rank gets what it lacks and no more, or a slice; windows
/// that `from` has must be those of `to`.
/// The sequence that moves least (wire_volume() in placement.h), then the shortest: reductions as reduce-scatters where
/// `to` is cut by the axis, blocks made small before they are permuted and large after.
[[nodiscard]] std::vector<Step> reshard(const Placement &from, const Placement &to, const Mesh &mesh);
/// The same, with reshard() of what comes before the step into windows found by `before_windows`: it is often the same.
using FindSteps = std::function<std::vector<Step>(const Placement &from, const Placement &to)>;
[[nodiscard]] std::vector<Step> reshard(const Placement &from, const Placement &to, const Mesh &mesh,
                                        const FindSteps &before_windows);

/// A copy of a value in one placement, and how it is made from another copy.
struct Copy {
    Placement placement;
    int source = -1;         ///< index of the copy it is made from; -1: as produced (or free)
    std::vector<Step> steps; ///< from the source's placement
    int layer = 0; ///< to which the communication is booked: the first consumer's for data, the producer's for
                   ///< partial sums
    Phase phase = Phase::forward;
    int first_use = -1; ///< operation that needs it first, itself or to make another copy; -1: the end of the program
    Pass pass = Pass::forward; ///< of a parameter that is gathered from shares: in which part of the step
};

/// Is the copy of `value` made once a step, since what it is made for, or from, runs once? Else once a micro-batch.
[[nodiscard]] bool once_a_step(const Graph &graph, int value, const Copy &copy);
/// How often a step makes the copy.
[[nodiscard]] int times(const Graph &graph, int value, const Copy &copy);

struct LaidOutOperation {
    Strategy strategy;
    std::vector<Placement> operands; ///< as read
    std::vector<int> operand_copy;   ///< per operand: which copy of the value is read
    std::vector<Placement> results;  ///< as produced (before partial sums are combined)
    std::vector<int> result_copy;    ///< per result: the copy that is stored in the variable it writes; -1: none
};

struct LaidOut {
    std::vector<LaidOutOperation> operations;
    std::vector<std::vector<Copy>> copies; ///< per value; copies[v][0] is as produced, or the home of a variable
    std::vector<int> output_copy;          ///< per output of the graph
};
/// `layers[i]` is the strategy of graph.layers[i]. Deterministic.
///   - A computed value lies as its producer leaves it; every distinct wanted placement is made once, each time the one
///     that is cheapest to make from a copy in hand. A free value is made in each wanted placement at no cost.
///   - Partial sums pass through a linear operation if all its operands are partial along the axis and have no other
///     use, its own strategy does not use the axis, and its result is not larger. Anything else reduces first.
///   - What an operation reads through windows is made from blocks, never from what other windows touch.
///   - A variable's home is where its first reader that follows no parameter wants it; what follows the parameter
///     (updates, its optimizer state) lies there, whatever the layer's strategy says.
///   - `storage` cuts homes further into shares. A stored parameter is gathered once for each part of the step (Pass)
///     that needs it. Updates run on the shares of the optimizer state, gradients are reduce-scattered into them.
[[nodiscard]] LaidOut lay_out(const Graph &graph, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                              const Storage &storage = {});
[[nodiscard]] LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                              const Storage &storage = {});

/// The layers on whose strategies the copies of value `v` depend: its producer's, its consumers', and, through linear
/// operations that pass partial sums on, those above. For the planner's factors. Ascending.
/// For many calls on one graph, build its GraphIndex once.
[[nodiscard]] std::vector<int> scope(const Graph &graph, int value);
[[nodiscard]] std::vector<int> scope(const GraphIndex &index, int value);

/// The copies of one value alone; equals lay_out(...).copies[value]. Reads only the strategies of scope(value).
[[nodiscard]] std::vector<Copy> copies_of(const Graph &graph, const Mesh &mesh,
                                          const std::vector<LayerStrategy> &layers, int value,
                                          const Storage &storage = {});
[[nodiscard]] std::vector<Copy> copies_of(const GraphIndex &index, const Mesh &mesh,
                                          const std::vector<LayerStrategy> &layers, int value,
                                          const Storage &storage = {});

/// The strategy under which an operation runs; equals lay_out(...).operations[operation].strategy. Reads only the
/// strategies of layers_of_strategy(): the operation's own layer, or that of the reader of the parameter it follows.
[[nodiscard]] Strategy strategy_of(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers,
                                   int operation, const Storage &storage = {});
[[nodiscard]] std::vector<int> layers_of_strategy(const GraphIndex &index, int operation);
/// The layers on whose strategies it depends how an operation's operands are wanted and its results lie. Ascending.
[[nodiscard]] std::vector<int> layers_of_placements(const GraphIndex &index, int operation);
/// The same for where a value lies as produced, or a variable's home.
[[nodiscard]] std::vector<int> layers_of_origin(const GraphIndex &index, int value);

} // namespace planc::sharding
