// A training step as the planner and the lowering see it: operations with loop nests, values between them, layers that
// share a strategy. Plain data; extracted from the IR by compiler/spmd, or written by a test.
#pragma once

#include "sharding/nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::sharding {

enum class Phase : std::uint8_t { forward, loss, input_gradient, weight_gradient, update, recompute };
[[nodiscard]] const char *name(Phase phase); ///< "forward", "loss", "input gradient", …

enum class ValueKind : std::uint8_t {
    computed, ///< lies as its producer leaves it
    free,     ///< a data field, a constant, an iota: made by each rank in whatever placement is asked for, at no cost
    variable  ///< a parameter or optimizer state: its home is where its first user wants it
};

struct Value {
    std::string name;               ///< in the user's terms: "h1", "gradient of h1.w"
    std::vector<std::string> roles; ///< of the dimensions
    std::vector<std::int64_t> extents;
    int element_bytes = 4;
    ValueKind kind = ValueKind::computed;
    int producer = -1; ///< operation, -1 where not computed
    int layer = 0;     ///< of the producer, or the owner of the variable
    /// Variables: where another function of the program keeps it already (evaluation after training); lay_out() takes
    /// it as the home.
    std::optional<planrt::Placement> home;
};

enum class Kernel : std::uint8_t {
    contraction,
    pointwise,
    reduction,
    window, ///< slides windows over its operands and is not fused: pools
    look_up ///< touches of its operands as many elements as the result has at most
};

struct Operation {
    std::string name; ///< for messages: "einsum", "relu"
    int layer = 0;
    Phase phase = Phase::forward;
    Kernel kernel = Kernel::pointwise;
    Nest nest;
    std::vector<int> operands;  ///< values
    std::vector<int> results;   ///< values
    double flops_per_point = 1; ///< per point of the nest: 2 for a multiply-add
    /// results[i] is stored in the home of this variable (an update): -1 for none. Its placement is the home's.
    std::vector<int> writes;
    /// The variable to which it belongs: the operation follows that parameter and what is stored of it, not the rules
    /// of its layer. An operation of an update, or one that accumulates a gradient; -1: none.
    int parameter = -1;
    bool accumulates = false; ///< adds its operand up over the micro-batches
    bool per_step = false;    ///< depends on what is accumulated: runs once a step, the others once a micro-batch
};

struct Layer {
    std::string name;
};

/// Operations are in execution order; a value is produced before it is used.
struct Graph {
    std::vector<Value> values;
    std::vector<Operation> operations;
    std::vector<Layer> layers;
    std::vector<int> outputs; ///< values that the program reports (the loss): wanted replicated, not partial
    int microbatches = 1;     ///< how often a step runs the operations that are not per_step
};

/// Which of its producer's results a computed value is.
[[nodiscard]] std::size_t result_number(const Graph &graph, int value);

/// A layer's strategy by loop name: rules[axis] is the loop's name, empty for none. An operation of the layer that
/// lacks the loop is replicated along the axis.
struct LayerStrategy {
    std::vector<std::string> loop_of_axis;
    std::vector<int> order; ///< as in Strategy
    friend bool operator==(const LayerStrategy &, const LayerStrategy &) = default;
};

/// Mesh axes along which variables are kept in shares (planrt::Placement::stored), major first, instead of replicas;
/// with the strategies a part of the choice. An axis that cuts a variable anyway is left out for it. Rajbhandari et al.
/// 2020: optimizer state alone is ZeRO 1, with gradients ZeRO 2, with parameters ZeRO 3.
struct Storage {
    std::vector<int> parameters; ///< gathered for the forward pass, and again for the backward pass
    std::vector<int> gradients;  ///< while they are accumulated over micro-batches
    std::vector<int> optimizer;  ///< updates run on these shares; new parameters go home from there
    friend bool operator==(const Storage &, const Storage &) = default;
};

} // namespace planc::sharding
