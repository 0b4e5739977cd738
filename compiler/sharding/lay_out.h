// lay_out(): what a complete choice of strategies communicates. The cost model prices its result and the lowering emits
// it; nothing else in the compiler knows about communication.
//
//   derive()    one operation under one strategy: where operands are needed, where results lie
//   reshard()   one tensor from one placement to another: the collectives, in order
//   lay_out()   a whole graph: derive() for every operation, reshard() for every distinct placement that is needed
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

/// The strategy of a layer for the nest of one of its operations: loops are found by name; axes of absent or whole
/// loops have none. Of a sparse product whose loops have the names of each other (SparseLoops::exchanged), an axis on
/// both sides of the matrix means the loops as they were. Operations that follow a parameter do not follow their layer:
/// see strategy_of().
[[nodiscard]] Strategy bind(const LayerStrategy &strategy, const Nest &nest, const Mesh &mesh);

struct Derived {
    std::vector<Placement> operands; ///< as needed
    std::vector<Placement> results;  ///< partial along the axes of split reduced loops, or with addends over them
};
/// Placements do not name axes with one rank, since these split nothing. `partial_in`: for a linear nest, the axes
/// along which all operands may arrive as partial sums (the strategy uses none of them); the results are then partial
/// along them too.
[[nodiscard]] Derived derive(const Nest &nest, const Strategy &strategy, const Mesh &mesh,
                             const std::vector<int> &partial_in = {});
/// The placement of one operand or result alone. It depends on what the strategy does with this tensor's loops, on its
/// order and its stored axes; for a result also on what it does with reduced loops.
[[nodiscard]] Placement derive_operand(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int operand);
[[nodiscard]] Placement derive_result(const Nest &nest, const Strategy &strategy, const Mesh &mesh, int result);
/// Of a sparse product whose columns are split: of how many rows the busiest rank has addends, if ranks list them;
/// none: they have all rows.
[[nodiscard]] std::optional<std::int64_t> touched_rows(const Nest &nest, const Strategy &strategy, const Mesh &mesh);

struct Step {
    CollectiveKind kind = CollectiveKind::slice;
    std::vector<int> axes; ///< of the group, ascending
    Placement from;
    Placement to;
    /// Whether it sums what ranks have partly.
    [[nodiscard]] bool sums() const { return from.partial != to.partial || planrt::has_addends(from); }
    friend bool operator==(const Step &, const Step &) = default;
};
class WireVolumes;

/// The steps that turn `from` into `to`; none if they are equal. `to` may be partial only along axes along which `from`
/// is. If `to` has windows, the last step is an exchange, in which each rank gets exactly what it lacks, or a slice;
/// windows of `from` must be those of `to`, or have addends: then the first step is an exchange that sums them. The
/// sequence is the one that moves least (WireVolumes), then the shortest: a reduction is a reduce-scatter if `to` is
/// split over the axis; blocks are made small before they are permuted, and large afterwards.
[[nodiscard]] std::vector<Step> reshard(const Placement &from, const Placement &to, const Mesh &mesh);
/// The same for a caller with a cache. `rest` finds the steps before the one into windows, or after the one that sums
/// addends.
using FindSteps = std::function<std::vector<Step>(const Placement &from, const Placement &to)>;
[[nodiscard]] std::vector<Step> reshard(const Placement &from, const Placement &to, WireVolumes &volumes,
                                        const FindSteps &rest);

/// A copy of a value in one placement, and how it is made from another copy.
struct Copy {
    Placement placement;
    int source = -1;         ///< index of the copy it is made from; -1: as produced (or free)
    std::vector<Step> steps; ///< from the source's placement
    LayerId layer{0}; ///< the communication is booked to this layer: of data to the first consumer's, of partial sums
                      ///< to the producer's
    Phase phase = Phase::forward;
    OperationId first_use; ///< the first operation that needs it, itself or to make another copy; none: the end of the
                           ///< program
    Pass pass = Pass::forward; ///< for a parameter that is gathered from shards: the part of the step
};

/// Whether the copy of `value` is made once per step, because its reader or its producer runs once; otherwise it is
/// made once per micro-batch.
[[nodiscard]] bool once_a_step(const Graph &graph, ValueId value, const Copy &copy);
/// How many times a step makes the copy.
[[nodiscard]] int times(const Graph &graph, ValueId value, const Copy &copy);

struct LaidOutOperation {
    Strategy strategy;
    std::vector<Placement> operands; ///< as read
    std::vector<int> operand_copy;   ///< per operand: which copy of the value is read
    std::vector<Placement> results;  ///< as produced (before partial sums are combined)
    std::vector<int> result_copy;    ///< per result: the copy that is stored in the variable it writes; -1: none
};

struct LaidOut {
    PerOperation<LaidOutOperation> operations;
    PerValue<std::vector<Copy>> copies; ///< copies[v][0] is as produced, or the home of a variable
    std::vector<int> output_copy;       ///< per output of the graph
    std::vector<int> sent_copy;         ///< per value that is sent
};
/// Deterministic.
/// - A computed value lies where its producer leaves it. Every distinct placement that is needed is made once, each
///   time the one that is cheapest to make from an existing copy. A free value is made in every placement at no cost.
/// - Partial sums pass through a linear operation if all its operands are partial along the axis and have no other use,
///   its own strategy does not use the axis, and its result is not larger. Anything else reduces first.
/// - What an operation reads through windows is made from blocks, never from the operand of other windows.
/// - A variable lives where its first reader that follows no parameter needs it. Whatever follows the parameter
///   (updates, its optimizer state) lies there too, whatever the layer's strategy says.
/// - `storage` cuts homes further into shards. A sharded parameter is gathered once for each part of the step (Pass)
///   that needs it. Updates run on the shards of the optimizer state, and gradients are reduce-scattered into them.
[[nodiscard]] LaidOut lay_out(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers,
                              const Storage &storage = {});
[[nodiscard]] LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers,
                              const Storage &storage = {});
class MeshReshards;
/// The same for many of them on one mesh: `reshards` are the routes that are known.
[[nodiscard]] LaidOut lay_out(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers,
                              const Storage &storage, MeshReshards &reshards);

/// The layers on whose strategies the copies of value `v` depend: that of its producer, those of its consumers, and,
/// through linear operations that pass partial sums on, those above. The planner makes its factors of them. Ascending.
/// For many calls on one graph, build its GraphIndex once.
[[nodiscard]] std::vector<LayerId> scope(const Graph &graph, ValueId value);
[[nodiscard]] std::vector<LayerId> scope(const GraphIndex &index, ValueId value);

/// The copies of one value alone; equals lay_out(...).copies[value]. Reads only the strategies of scope(value).
[[nodiscard]] std::vector<Copy> copies_of(const Graph &graph, const Mesh &mesh, const LayerStrategies &layers,
                                          ValueId value, const Storage &storage = {});
[[nodiscard]] std::vector<Copy> copies_of(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers,
                                          ValueId value, const Storage &storage = {});

/// The strategy under which an operation runs; equals lay_out(...).operations[operation].strategy. Reads only the
/// strategies of layers_of_strategy(): the operation's own layer, or that of the reader of the parameter it follows.
[[nodiscard]] Strategy strategy_of(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers,
                                   OperationId operation, const Storage &storage = {});
[[nodiscard]] std::vector<LayerId> layers_of_strategy(const GraphIndex &index, OperationId operation);
/// The layers whose strategies determine how an operation's operands are needed and where its results lie. Ascending.
[[nodiscard]] std::vector<LayerId> layers_of_placements(const GraphIndex &index, OperationId operation);
/// The same for the placement of a value as produced, or for a variable's home.
[[nodiscard]] std::vector<LayerId> layers_of_origin(const GraphIndex &index, ValueId value);

} // namespace planc::sharding
