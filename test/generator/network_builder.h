// Builds networks as semantic analysis hands them on, for random tests.
#pragma once

#include "sema/program.h"

#include <string>
#include <vector>

namespace planc::test {

/// A value of the network under construction.
struct Node {
    sema::ValueId id = -1;
    std::vector<sema::Dimension> dimensions;
};

class NetworkBuilder {
  public:
    explicit NetworkBuilder(sema::Network &network) : network_(network) {}

    /// The layer of the operations that follow.
    void layer(const std::string &path);

    Node input(const std::string &name, std::vector<sema::Dimension> dimensions,
               sema::ElementType element = sema::ElementType::f32);
    Node parameter(const std::string &path, std::vector<sema::Dimension> dimensions);
    Node constant(double value);
    Node pointwise(const std::string &function, const std::vector<Node> &operands);
    Node reduce(const std::string &kind, const Node &operand, const std::vector<std::string> &roles);
    Node softmax(const Node &operand, const std::string &role);

    /// Loops by name, one list per operand and one for the result; `roles` of the result's dimensions.
    Node einsum(const std::vector<Node> &operands, const std::vector<std::vector<std::string>> &loops,
                const std::vector<std::string> &result_loops, const std::vector<std::string> &roles);

    /// x · w (+ b): contracts all dimensions of x but the first with those of the weight. A side of the weight that
    /// bears a role of the other side is primed, as in the language.
    Node dense(const Node &x, const std::vector<sema::Dimension> &out, bool bias, const Node *tied = nullptr);

    Node cross_entropy(const Node &logits, const Node &labels, const std::string &role);
    Node mean_square_error(const Node &prediction, const Node &target);

    /// The weight that dense() declared last.
    [[nodiscard]] const Node &weight() const { return weight_; }

  private:
    Node add(sema::Operation operation, std::vector<sema::Dimension> dimensions,
             sema::ElementType element = sema::ElementType::f32);

    sema::Network &network_;
    std::string layer_;
    Node weight_;
};

} // namespace planc::test
