#include "autodiff/edge_expression.h"

#include "ir/layer_builder.h"
#include "ir/nest.h"

#include <algorithm>

namespace planc::autodiff {

using ir::EdgeStep;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

bool has_both_sides(Value value, ir::EdgesOp edges) {
    const auto roles = edges.getResult().getType().getRoles();
    return llvm::all_of(roles, [&](mlir::StringAttr role) { return type_of(value).find(role.getValue()) >= 0; });
}

namespace {

/// Functions that are 0 where these operands are: all of `needed`, or one of `enough`.
ir::EdgesOp edges_of_pointwise(ir::PointwiseOp op) {
    const StringRef function = op.getFunction();
    const auto zero = [](Value value) { return ir::constant_value(value) == 0.0; };
    const auto all = [&](mlir::ValueRange inputs) {
        ir::EdgesOp found;
        for (Value input : inputs) {
            if (zero(input))
                continue;
            ir::EdgesOp edges = edges_of(input);
            if (!edges || (found && found.getMatrix() != edges.getMatrix()))
                return ir::EdgesOp();
            found = edges;
        }
        return found;
    };
    if (function == "mul") {
        for (Value input : op.getInputs())
            if (ir::EdgesOp edges = edges_of(input))
                return edges;
        return {};
    }
    if (function == "select")
        return all(op.getInputs().drop_front());
    if (function == "div")
        return edges_of(op.getInputs()[0]);
    static constexpr StringRef keep_zero[] = {"add", "sub",    "neg",  "identity", "stop_gradient",
                                              "abs", "square", "relu", "tanh"};
    return llvm::is_contained(keep_zero, function) ? all(op.getInputs()) : ir::EdgesOp();
}

} // namespace

ir::EdgesOp edges_of(Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (op == nullptr)
        return {};
    ir::EdgesOp found;
    if (auto edges = mlir::dyn_cast<ir::EdgesOp>(op))
        return edges;
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op))
        found = edges_of_pointwise(pointwise);
    if (auto einsum = mlir::dyn_cast<ir::EinsumOp>(op))
        for (Value input : einsum.getInputs())
            found = found ? found : edges_of(input);
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op); reduce && reduce.getReduction() == "sum")
        found = edges_of(reduce.getOperand());
    return found && has_both_sides(value, found) ? found : ir::EdgesOp();
}

ir::EdgesOp mask_of(Value value) {
    auto select = value.getDefiningOp<ir::PointwiseOp>();
    if (!select || select.getFunction() != "select")
        return {};
    auto is_entry = select.getInputs()[0].getDefiningOp<ir::PointwiseOp>();
    return is_entry && is_entry.getFunction() == "not_equal" ? is_entry.getInputs()[0].getDefiningOp<ir::EdgesOp>()
                                                             : ir::EdgesOp();
}

EdgeExpression::EdgeExpression(ir::EdgesOp edges, std::string rows, std::string columns,
                               const std::vector<std::string> &taken)
    : edges_(edges), rows_(std::move(rows)), columns_(std::move(columns)), loops_{rows_, columns_} {
    const auto extents = edges_.getResult().getType().getExtents();
    extents_ = {{rows_, extents[0]}, {columns_, extents[1]}};
    for (const std::string &loop : taken)
        if (loop != rows_ && loop != columns_)
            loops_.push_back(loop);
}

int EdgeExpression::add(EdgeStep step) {
    const auto known = std::find(steps_.begin(), steps_.end(), step);
    if (known != steps_.end())
        return static_cast<int>(known - steps_.begin());
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size()) - 1;
}

void EdgeExpression::note(Value value, const Loops &loops) {
    for (auto [role, extent] : llvm::zip(type_of(value).getRoles(), type_of(value).getExtents()))
        extents_.emplace(loops.at(role.str()), extent);
}

std::string EdgeExpression::fresh(std::string name, std::int64_t extent) {
    while (llvm::is_contained(loops_, name))
        name += '\'';
    loops_.push_back(name);
    extents_.emplace(name, extent);
    return name;
}

std::optional<int> EdgeExpression::step(Value value, const Loops &loops) {
    std::vector<std::string> names;
    for (mlir::StringAttr role : type_of(value).getRoles())
        names.push_back(loops.at(role.str()));
    for (const auto &[key, known] : known_)
        if (key.first == value && key.second == names)
            return known;
    const std::optional<int> made = new_step(value, loops);
    if (made)
        known_.push_back({{value, std::move(names)}, *made});
    return made;
}

std::optional<int> EdgeExpression::new_step(Value value, const Loops &loops) {
    note(value, loops);
    if (const auto number = ir::constant_value(value)) {
        EdgeStep step;
        step.number = *number;
        return add(std::move(step));
    }
    if (mlir::Operation *op = value.getDefiningOp(); op != nullptr && has_both_sides(value, edges_))
        return computed(op, loops);
    return leaf(value, loops);
}

/// A dense value. Of a renamed one, the original.
int EdgeExpression::leaf(Value value, Loops loops) {
    while (auto renamed = value.getDefiningOp<ir::EinsumOp>()) {
        const ir::Subscripts subscripts = *ir::parse_subscripts(renamed.getSubscripts());
        if (renamed.getInputs().size() != 1 || subscripts.operands[0].size() != subscripts.result.size())
            break;
        Loops of_original;
        const ir::TensorType from = type_of(renamed.getInputs()[0]);
        const ir::TensorType to = type_of(value);
        for (auto [role, loop] : llvm::zip(from.getRoles(), subscripts.operands[0])) {
            const auto at =
                std::find(subscripts.result.begin(), subscripts.result.end(), loop) - subscripts.result.begin();
            of_original[role.str()] = loops.at(to.getRoles()[static_cast<std::size_t>(at)].str());
        }
        value = renamed.getInputs()[0];
        loops = std::move(of_original);
    }
    std::vector<std::string> names;
    for (mlir::StringAttr role : type_of(value).getRoles())
        names.push_back(loops.at(role.str()));
    EdgeStep step;
    step.kind = EdgeStep::Kind::operand;
    for (std::size_t i = 0; i < operands_.size(); ++i)
        if (operands_[i] == value && operand_loops_[i] == names) {
            step.operand = static_cast<int>(i);
            return add(std::move(step));
        }
    step.operand = static_cast<int>(operands_.size());
    operands_.push_back(value);
    operand_loops_.push_back(std::move(names));
    return add(std::move(step));
}

std::optional<int> EdgeExpression::computed(mlir::Operation *op, const Loops &loops) {
    if (auto edges = mlir::dyn_cast<ir::EdgesOp>(op)) {
        const auto roles = edges.getResult().getType().getRoles();
        if (edges.getMatrix() != edges_.getMatrix() || loops.at(roles[0].str()) != rows_ ||
            loops.at(roles[1].str()) != columns_)
            return std::nullopt;
        EdgeStep step;
        step.kind = edges.getOnes() ? EdgeStep::Kind::number : EdgeStep::Kind::matrix;
        step.number = edges.getOnes() ? 1 : 0;
        return add(std::move(step));
    }
    if (auto pointwise_op = mlir::dyn_cast<ir::PointwiseOp>(op))
        return pointwise(pointwise_op, loops);
    if (auto einsum_op = mlir::dyn_cast<ir::EinsumOp>(op))
        return einsum(einsum_op, loops);
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return sum(reduce, loops);
    if (auto random = mlir::dyn_cast<ir::RandomOp>(op)) {
        EdgeStep step;
        step.kind = EdgeStep::Kind::random;
        step.text = random.getKey().str();
        for (mlir::StringAttr role : type_of(random.getResult()).getRoles()) {
            if (random.getSamples() && role.getValue() == *random.getSamples())
                step.samples = static_cast<int>(step.loops.size());
            step.loops.push_back(loops.at(role.str()));
        }
        return add(std::move(step));
    }
    return std::nullopt;
}

std::optional<int> EdgeExpression::pointwise(ir::PointwiseOp op, const Loops &loops) {
    EdgeStep call;
    call.kind = EdgeStep::Kind::call;
    call.text = op.getFunction().str();
    for (Value input : op.getInputs()) {
        const std::optional<int> argument = step(input, loops);
        if (!argument)
            return std::nullopt;
        call.arguments.push_back(*argument);
    }
    if (call.text == "identity" || call.text == "stop_gradient")
        return call.arguments[0];
    if (call.text == "mul")
        return product(call.arguments);
    return add(std::move(call));
}

/// Without factors of 1.
int EdgeExpression::product(std::vector<int> steps) {
    const auto is_one = [&](int step) {
        return steps_[static_cast<std::size_t>(step)].kind == EdgeStep::Kind::number &&
               steps_[static_cast<std::size_t>(step)].number == 1;
    };
    while (steps.size() > 1) {
        const auto one = std::find_if(steps.begin(), steps.end(), is_one);
        if (one == steps.end())
            break;
        steps.erase(one);
    }
    if (steps.size() == 1)
        return steps[0];
    EdgeStep step;
    step.kind = EdgeStep::Kind::product;
    step.arguments = std::move(steps);
    return add(std::move(step));
}

std::optional<int> EdgeExpression::einsum(ir::EinsumOp op, const Loops &loops) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    Loops of_names; // by loop of the einsum
    for (auto [role, name] : llvm::zip(type_of(op.getResult()).getRoles(), subscripts.result))
        of_names[name] = loops.at(role.str());
    EdgeStep sum;
    sum.kind = EdgeStep::Kind::sum;
    std::vector<int> factors;
    for (auto [input, names] : llvm::zip(op.getInputs(), subscripts.operands)) {
        Loops of_roles;
        const ir::TensorType type = type_of(input);
        for (auto [role, extent, name] : llvm::zip(type.getRoles(), type.getExtents(), names)) {
            if (!of_names.contains(name)) {
                of_names[name] = fresh(name, extent);
                sum.loops.push_back(of_names[name]);
            }
            of_roles[role.str()] = of_names[name];
        }
        const std::optional<int> factor = step(input, of_roles);
        if (!factor)
            return std::nullopt;
        factors.push_back(*factor);
    }
    const int all = product(std::move(factors));
    if (sum.loops.empty())
        return all;
    sum.arguments = {all};
    return add(std::move(sum));
}

std::optional<int> EdgeExpression::sum(ir::ReduceOp op, const Loops &loops) {
    if (op.getReduction() != "sum")
        return std::nullopt;
    const ir::TensorType type = type_of(op.getOperand());
    Loops all = loops;
    EdgeStep sum;
    sum.kind = EdgeStep::Kind::sum;
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents()))
        if (type_of(op.getResult()).find(role.getValue()) < 0) {
            all[role.str()] = fresh(role.str(), extent);
            sum.loops.push_back(all[role.str()]);
        }
    const std::optional<int> argument = step(op.getOperand(), all);
    if (!argument)
        return std::nullopt;
    sum.arguments = {*argument};
    return add(std::move(sum));
}

/// Makes the step the last one, and removes those that it does not use.
void EdgeExpression::keep_what_leads_to(int last) {
    std::vector<bool> used(steps_.size(), false);
    used[static_cast<std::size_t>(last)] = true;
    for (auto i = static_cast<std::size_t>(last) + 1; i-- > 0;)
        if (used[i])
            for (const int argument : steps_[i].arguments)
                used[static_cast<std::size_t>(argument)] = true;
    std::vector<int> number(steps_.size(), 0);
    std::vector<EdgeStep> kept;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (!used[i])
            continue;
        number[i] = static_cast<int>(kept.size());
        for (int &argument : steps_[i].arguments)
            argument = number[static_cast<std::size_t>(argument)];
        kept.push_back(std::move(steps_[i]));
    }
    steps_ = std::move(kept);
}

/// So rules that split rows split the result, and of operands only the needed rows are fetched, as in gradients of
/// spmm.
void EdgeExpression::exchange_sides(std::vector<std::string> &result_loops) {
    const std::string a = rows_;
    const std::string b = columns_;
    ir::exchange(loops_, a, b);
    ir::exchange(result_loops, a, b);
    for (std::vector<std::string> &loops : operand_loops_)
        ir::exchange(loops, a, b);
    for (EdgeStep &step : steps_)
        ir::exchange(step.loops, a, b);
    std::swap(rows_, columns_);
}

Value EdgeExpression::reduce(int step, mlir::OpBuilder &builder, mlir::Operation *like, StringRef reduction,
                             double initial, std::vector<std::string> result_loops) {
    keep_what_leads_to(step);
    if (edges_.getNumber() != 0 && extents_.at(rows_) == extents_.at(columns_) &&
        !llvm::is_contained(result_loops, rows_))
        exchange_sides(result_loops);
    ir::Subscripts subscripts;
    subscripts.operands.push_back({rows_, columns_});
    subscripts.operands.insert(subscripts.operands.end(), operand_loops_.begin(), operand_loops_.end());
    subscripts.result = std::move(result_loops);
    std::vector<StringRef> loops(loops_.begin(), loops_.end());
    std::vector<std::int64_t> extents;
    for (const std::string &loop : loops_)
        extents.push_back(extents_.at(loop));
    std::vector<std::string> texts;
    for (const EdgeStep &each : steps_)
        texts.push_back(each.to_text());
    const std::vector<StringRef> steps(texts.begin(), texts.end());
    return builder.create<ir::EdgeReduceOp>(
        like->getLoc(), like->getResult(0).getType(), edges_.getMatrixAttr(), builder.getStringAttr(reduction),
        builder.getStringAttr(subscripts.text()), operands_, builder.getStrArrayAttr(loops),
        builder.getDenseI64ArrayAttr(extents), builder.getStrArrayAttr(steps), builder.getF64FloatAttr(initial),
        edges_.getNonzerosAttr(), edges_.getNumberAttr(), like->getAttrOfType<mlir::StringAttr>("layer"),
        like->getAttrOfType<mlir::StringAttr>("phase"), ir::StrategyAttr());
}

} // namespace planc::autodiff
