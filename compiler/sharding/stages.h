// Which stage of a pipeline runs which operation, and what the stages send each other. Layers are given to stages; the
// rest follows from the graph.
//
// A schedule may have replicas of the weights, each for some of the micro-batches. Stage s of replica r is then a stage
// of its own, with the number r * LayerStages::count + s (a part, pipeline/schedule.h).
//
// Example: layers h1 on stage 0, h2 and loss on stage 1
//   h1's forward operations and its gradients  stage 0      update of h1.w  stage 0
//   h2's, loss                                 stage 1      update of h2.w  stage 1
//   crossings: h1 from 0 to 1, gradient of h1 from 1 to 0
#pragma once

#include "sharding/graph.h"

#include <string>
#include <vector>

namespace planc::sharding {

/// Stages 0 … count - 1, in the order in which a micro-batch passes through them.
struct LayerStages {
    static constexpr int everywhere = -1;
    int count = 1;
    /// `everywhere`: operations of the layer are cheap (a norm, a rate) and run on each stage that needs their results.
    PerLayer<int> of;
};

/// A value that a stage needs and another one computes.
struct Crossing {
    ValueId value;
    int from = 0;
    int to = 0;
    friend bool operator==(const Crossing &, const Crossing &) = default;
};

struct StagedGraph {
    PerOperation<std::vector<int>> stages; ///< ascending; several: each of them computes it
    /// For each of these stages: of an operation of the update, how often the stage must wait for others between the
    /// backward pass and this operation. A tensor that only later operations need is made with them. Of others: 0.
    PerOperation<std::vector<int>> levels;
    std::vector<Crossing> crossings; ///< by value, then by receiving stage
};

/// - An operation runs on the stage of its layer. Operations that follow a parameter (updates) run wherever the
/// parameter
///   is used, but its norms on the first of these stages; sums over micro-batches, where their terms are made;
///   operations of layers that are `everywhere`, wherever they are needed.
/// - Free values and variables do not cross: each stage has its own. Outputs are needed where they are computed.
[[nodiscard]] StagedGraph staged(const Graph &graph, const LayerStages &layers);

/// The stages that use a variable, other than to update it.
[[nodiscard]] PerValue<std::vector<int>> stages_of_variables(const Graph &graph, const LayerStages &layers);

/// What a stage has: its operations, with what they take and give.
struct StageGraph {
    Graph graph;              ///< with the layers of the whole graph. What arrives from other stages is free there, in
                              ///< every placement in which it is needed
    PerValue<ValueId> number; ///< by value of the whole graph; none: the stage does not have it
};
[[nodiscard]] StageGraph stage_graph(const Graph &graph, const StagedGraph &staged, int stage);

/// The crossings that go back to an earlier stage, though its forward pass needs them: no pipeline has these.
[[nodiscard]] std::vector<Crossing> crossings_back(const Graph &graph, const StagedGraph &staged);

/// By stage, the first stage that gets a gradient from it for each micro-batch; at most the stage before.
[[nodiscard]] std::vector<int> reach_of_gradients(const Graph &graph, const StagedGraph &staged, int stages);

/// An empty text, or the first crossing of the forward pass that goes back to an earlier stage: "'fc1' is needed by
/// 'h2'".
[[nodiscard]] std::string goes_back(const Graph &graph, const StagedGraph &staged);

} // namespace planc::sharding
