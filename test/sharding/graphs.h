// Graphs for tests: a builder, and the training step of a multi-layer perceptron.
#pragma once

#include "sharding/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::sharding::graphs {

struct Dimension {
    std::string role;
    std::int64_t extent = 1;
};

/// A value as an operation sees it: the loop of each of its dimensions, by name.
struct Operand {
    ValueId value;
    std::vector<std::string> loops;
};

/// Builds a Graph value by value, in execution order. Loops take their extents from the operands' dimensions.
class Builder {
  public:
    Graph graph;

    LayerId layer(const std::string &name);
    ValueId value(const std::string &name, ValueKind kind, LayerId layer, const std::vector<Dimension> &dimensions);
    /// Operand whose loops are named as its dimensions are.
    [[nodiscard]] Operand plain(ValueId value) const;

    /// Of a product with a matrix, whose rows are a loop that no operand needs to have.
    struct Sparse {
        Dimension rows;
        std::string columns; ///< a loop of an operand
        double density = 1;
        int matrix = 0;
        bool lists_rows = false;
    };
    struct Spec {
        std::string name = "op";
        LayerId layer{0};
        Phase phase = Phase::forward;
        Kernel kernel = Kernel::pointwise;
        bool linear = false;
        Reduction reduction = Reduction::sum;
        std::optional<Sparse> sparse = {};
    };
    /// One result whose dimensions are the loops named `result`; loops that are not among them are reduced.
    ValueId operation(const Spec &spec, const std::vector<Operand> &operands, const std::vector<std::string> &result,
                      const std::string &result_name);
    /// Pointwise over equal loops, one result per variable in `writes`, which it is stored in; follows `parameter`.
    std::vector<ValueId> update(const std::string &name, LayerId layer, ValueId parameter,
                                const std::vector<ValueId> &operands, const std::vector<ValueId> &writes);

  private:
    std::int64_t extent_of(const Spec &spec, const std::vector<Operand> &operands, const std::string &loop) const;
};

/// What to build: widths and roles have one entry more than there are layers. Layers are called "fc1", "fc2", …; the
/// loss (mean square error) is the layer "loss". A layer whose two roles are equal has its input side primed.
struct Mlp {
    std::int64_t batch = 8;
    std::vector<std::int64_t> widths;
    std::vector<std::string> roles;
    bool bias = false;
    bool momentum = false;
};
/// Forward, loss, backward (no gradient for the input), update. The loss is the only output.
[[nodiscard]] Graph training_step(const Mlp &mlp);

/// The same loops for a layer's axes: rules[axis] for every layer of the graph.
[[nodiscard]] LayerStrategies everywhere(const Graph &graph, const std::vector<std::string> &loop_of_axis);

} // namespace planc::sharding::graphs
