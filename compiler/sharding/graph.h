// A training step as the planner and the lowering see it: operations with loop nests, values between them, layers that
// share a strategy. Plain data; extracted from the IR by compiler/spmd, or written by a test.
#pragma once

#include "sharding/nest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::sharding {

enum class Phase : std::uint8_t { forward, loss, input_gradient, weight_gradient, update };
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

enum class Kernel : std::uint8_t { contraction, pointwise, reduction, update };

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
};

/// A layer's strategy by loop name: rules[axis] is the loop's name, empty for none. An operation of the layer that
/// lacks the loop is replicated along the axis.
struct LayerStrategy {
    std::vector<std::string> loop_of_axis;
    std::vector<int> order; ///< as in Strategy
    friend bool operator==(const LayerStrategy &, const LayerStrategy &) = default;
};

} // namespace planc::sharding
