#include "network_builder.h"

#include <algorithm>

namespace planc::test {

using sema::Dimension;
using sema::OperationKind;

namespace {

const Dimension *find(const std::vector<Dimension> &dimensions, const std::string &role) {
    const auto at = std::find_if(dimensions.begin(), dimensions.end(), [&](const auto &d) { return d.role == role; });
    return at == dimensions.end() ? nullptr : &*at;
}

sema::Operation operation(OperationKind kind, const std::vector<Node> &operands, const std::string &text = "") {
    sema::Operation op;
    op.kind = kind;
    op.text = text;
    for (const Node &operand : operands)
        op.operands.push_back(operand.id);
    return op;
}

} // namespace

void NetworkBuilder::layer(const std::string &path) {
    layer_ = path;
    network_.layers.push_back(path);
}

Node NetworkBuilder::add(sema::Operation op, std::vector<Dimension> dimensions, sema::ElementType element) {
    op.type = {element, dimensions};
    op.layer = layer_;
    network_.operations.push_back(std::move(op));
    return {static_cast<sema::ValueId>(network_.operations.size()) - 1, std::move(dimensions)};
}

Node NetworkBuilder::input(const std::string &name, std::vector<Dimension> dimensions, sema::ElementType element) {
    network_.arguments.push_back({name, {element, dimensions}, {}});
    return add(operation(OperationKind::input, {}, name), std::move(dimensions), element);
}

Node NetworkBuilder::parameter(const std::string &path, std::vector<Dimension> dimensions) {
    sema::Operation op = operation(OperationKind::parameter, {}, path);
    op.initializer = {sema::Initializer::Kind::uniform, -0.5, 0.5};
    return add(std::move(op), std::move(dimensions));
}

Node NetworkBuilder::constant(double value) {
    sema::Operation op = operation(OperationKind::constant, {});
    op.number = value;
    return add(std::move(op), {});
}

Node NetworkBuilder::pointwise(const std::string &function, const std::vector<Node> &operands) {
    std::vector<Dimension> dimensions;
    for (const Node &operand : operands)
        for (const Dimension &dimension : operand.dimensions)
            if (find(dimensions, dimension.role) == nullptr)
                dimensions.push_back(dimension);
    return add(operation(OperationKind::pointwise, operands, function), std::move(dimensions));
}

Node NetworkBuilder::reduce(const std::string &kind, const Node &operand, const std::vector<std::string> &roles) {
    std::vector<Dimension> kept = operand.dimensions;
    std::erase_if(kept,
                  [&](const Dimension &d) { return std::find(roles.begin(), roles.end(), d.role) != roles.end(); });
    sema::Operation op = operation(OperationKind::reduce, {operand}, kind);
    op.roles = roles;
    return add(std::move(op), std::move(kept));
}

Node NetworkBuilder::softmax(const Node &operand, const std::string &role) {
    sema::Operation op = operation(OperationKind::softmax, {operand}, "softmax");
    op.roles = {role};
    return add(std::move(op), operand.dimensions);
}

Node NetworkBuilder::einsum(const std::vector<Node> &operands, const std::vector<std::vector<std::string>> &loops,
                            const std::vector<std::string> &result_loops, const std::vector<std::string> &roles) {
    sema::Operation op = operation(OperationKind::einsum, operands);
    const auto number = [&](const std::string &name, std::int64_t extent) {
        const auto at = std::find_if(op.loops.begin(), op.loops.end(), [&](const auto &l) { return l.name == name; });
        if (at != op.loops.end())
            return static_cast<int>(at - op.loops.begin());
        op.loops.push_back({name, extent});
        return static_cast<int>(op.loops.size()) - 1;
    };
    for (std::size_t i = 0; i < operands.size(); ++i) {
        std::vector<int> &mine = op.operand_loops.emplace_back();
        for (std::size_t d = 0; d < loops[i].size(); ++d)
            mine.push_back(number(loops[i][d], operands[i].dimensions[d].extent));
    }
    std::vector<Dimension> dimensions;
    for (std::size_t d = 0; d < result_loops.size(); ++d) {
        const int loop = number(result_loops[d], 0);
        op.result_loops.push_back(loop);
        dimensions.push_back({roles[d], op.loops[static_cast<std::size_t>(loop)].extent});
    }
    return add(std::move(op), std::move(dimensions));
}

Node NetworkBuilder::dense(const Node &x, const std::vector<Dimension> &out, bool bias, const Node *tied) {
    std::vector<Dimension> weight;
    std::vector<std::string> x_loops{x.dimensions[0].role};
    std::vector<std::string> w_loops;
    for (std::size_t d = 1; d < x.dimensions.size(); ++d) {
        Dimension side = x.dimensions[d];
        if (find(out, side.role) != nullptr)
            side.role += "'";
        x_loops.push_back(side.role);
        w_loops.push_back(side.role);
        weight.push_back(side);
    }
    std::vector<std::string> y_loops{x.dimensions[0].role};
    for (const Dimension &dimension : out) {
        y_loops.push_back(dimension.role);
        w_loops.push_back(dimension.role);
        weight.push_back(dimension);
    }
    weight_ = tied != nullptr ? *tied : parameter(layer_ + ".w", weight);
    const Node y = einsum({x, weight_}, {x_loops, w_loops}, y_loops, y_loops);
    if (!bias)
        return y;
    return pointwise("add", {y, parameter(layer_ + ".b", out)});
}

Node NetworkBuilder::cross_entropy(const Node &logits, const Node &labels, const std::string &role) {
    sema::Operation op = operation(OperationKind::cross_entropy, {logits, labels});
    op.roles = {role};
    return add(std::move(op), {});
}

Node NetworkBuilder::mean_square_error(const Node &prediction, const Node &target) {
    return add(operation(OperationKind::mean_square_error, {prediction, target}), {});
}

} // namespace planc::test
