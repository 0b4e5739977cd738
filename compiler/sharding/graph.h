// A training step as planner and lowering see it: operations with loop nests, the values between them, and layers that
// share a strategy. Plain data; compiler/spmd extracts it from the IR, and tests write it.
#pragma once

#include "sharding/nest.h"
#include "sharding/work.h"
#include "support/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::sharding {

struct Layer;
struct Value;
struct Operation;
using LayerId = support::Id<Layer>;
using ValueId = support::Id<Value>;
using OperationId = support::Id<Operation>;
template <typename T> using PerLayer = support::Indexed<LayerId, T>;
template <typename T> using PerValue = support::Indexed<ValueId, T>;
template <typename T> using PerOperation = support::Indexed<OperationId, T>;

enum class Phase : std::uint8_t { forward, loss, input_gradient, weight_gradient, update, recompute };
[[nodiscard]] const char *name(Phase phase); ///< "forward", "loss", "input gradient", …

enum class ValueKind : std::uint8_t {
    computed, ///< lies where its producer leaves it
    free,     ///< a data field, a constant, an iota: each rank makes it in any placement, without communication
    variable  ///< a parameter or optimizer state: it lives where its first reader needs it
};

struct Value {
    std::string name;               ///< in the user's terms: "h1", "gradient of h1.w"
    std::vector<std::string> roles; ///< of the dimensions
    std::vector<std::int64_t> extents;
    int element_bytes = 4;
    ValueKind kind = ValueKind::computed;
    OperationId producer; ///< none where not computed
    LayerId layer{0};     ///< of the producer, or the owner of the variable
    /// For variables: where another function of the program already keeps it (evaluation after training); lay_out()
    /// uses that as the home.
    std::optional<planrt::Placement> home;
};

struct Operation {
    std::string name; ///< for messages: "einsum", "relu"
    LayerId layer{0};
    Phase phase = Phase::forward;
    Kernel kernel = Kernel::pointwise;
    Nest nest;
    std::vector<ValueId> operands;
    std::vector<ValueId> results;
    double flops_per_point = 1; ///< per point of the nest: 2 for a multiply-add
    /// results[i] is stored in the home of this variable (an update), or in none. Its placement is that home.
    std::vector<ValueId> writes;
    /// The variable to which it belongs, or none. Such an operation (of an update, or one that accumulates a gradient)
    /// follows the placement and the storage of that parameter instead of the rules of its layer.
    ValueId parameter;
    bool accumulates = false; ///< adds its operand up over the micro-batches
    bool per_step = false;    ///< depends on accumulated gradients: runs once per update, not once per micro-batch
    int level = 0;            ///< of an update in a pipeline: StagedGraph::levels
    int replica = 0;          ///< in a pipeline: of the weights with which it computes
    std::string matrix;       ///< of a sparse product: which block of which matrix; of the same extents if equal
    OperationId original;     ///< of the forward pass, that it computes again; none: another phase, or not known
};

struct Layer {
    std::string name;
};

/// Operations are in execution order; a value is produced before it is used.
/// The weights in a step that changes them several times, as some pipelines do.
struct ChangingWeights {
    int updates = 1;      ///< how often a step runs the operations that are per_step
    bool stashed = false; ///< each micro-batch in flight has those that its backward pass reads
    int versions = 1;     ///< that a rank keeps of every parameter
    friend bool operator==(const ChangingWeights &, const ChangingWeights &) = default;
};

struct Graph {
    PerValue<Value> values;
    PerOperation<Operation> operations;
    PerLayer<Layer> layers;
    std::vector<ValueId> outputs; ///< that the program reports (the loss): needed replicated, not partial
    std::vector<ValueId> sent;    ///< that other stages of a pipeline get, and predictions: needed as they lie, but
                                  ///< for partial sums
    int microbatches = 1;         ///< how often a step runs the operations that are not per_step
    int slots = 1;                ///< micro-batches in flight, each with its own activations, gradients and inputs
    ChangingWeights weights = {};
    PerOperation<SharedWork> work; ///< empty: every operation runs by itself, and its tensors go through memory

    /// What comes after all operations, in their order.
    [[nodiscard]] OperationId end_of_program() const { return operations.end_id(); }
};

/// The index of a computed value among its producer's results.
[[nodiscard]] std::size_t result_number(const Graph &graph, ValueId value);

/// A layer's strategy by loop name: rules[axis] is the name of the loop, or empty. An operation of the layer that lacks
/// this loop is replicated along the axis.
struct LayerStrategy {
    std::vector<std::string> loop_of_axis;
    std::vector<int> order; ///< as in Strategy
    friend bool operator==(const LayerStrategy &, const LayerStrategy &) = default;
};
/// One for each layer of a graph.
using LayerStrategies = PerLayer<LayerStrategy>;

/// Mesh axes over which variables are sharded (planrt::Placement::stored), major first, instead of replicated. Together
/// with the strategies, this is the choice of the planner. An axis that already splits a variable is left out for it.
/// Rajbhandari et al. 2020: optimizer state alone is ZeRO 1, with gradients ZeRO 2, with parameters ZeRO 3.
struct Storage {
    std::vector<int> parameters; ///< gathered for the forward pass, and again for the backward pass
    std::vector<int> gradients;  ///< while they are accumulated over micro-batches
    std::vector<int> optimizer;  ///< updates run on these shards; new parameters return home from there
    friend bool operator==(const Storage &, const Storage &) = default;
};

} // namespace planc::sharding
