#include "ir/nest.h"

#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <algorithm>

#include "ir/nest_interface.cpp.inc"

namespace planc::ir {

using sharding::LoopKind;
using sharding::Nest;

namespace {

TensorType tensor(mlir::Value value) {
    return mlir::cast<TensorType>(value.getType());
}

/// The index of the loop with this name; creates the loop if there is none.
int loop(Nest &nest, llvm::StringRef name, std::int64_t extent) {
    const auto at = std::find_if(nest.loops.begin(), nest.loops.end(), [&](const auto &l) { return l.name == name; });
    if (at != nest.loops.end())
        return static_cast<int>(at - nest.loops.begin());
    nest.loops.push_back({name.str(), extent, LoopKind::reduced});
    return static_cast<int>(nest.loops.size()) - 1;
}

std::vector<int> loops_by_role(Nest &nest, TensorType type) {
    std::vector<int> loops;
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents()))
        loops.push_back(loop(nest, role.getValue(), extent));
    return loops;
}

std::vector<int> loops_by_name(Nest &nest, const std::vector<std::string> &names, TensorType type) {
    std::vector<int> loops;
    for (auto [name, extent] : llvm::zip(names, type.getExtents()))
        loops.push_back(loop(nest, name, extent));
    return loops;
}

/// Loops that a result has are parallel; the others stay reduced.
void mark_parallel(Nest &nest) {
    for (const auto &result : nest.results)
        for (int index : result)
            nest.loops[static_cast<std::size_t>(index)].kind = LoopKind::parallel;
}

/// Adds a loop named after the role, with as many apostrophes as needed to make the name unique.
int fresh_loop(Nest &nest, std::string name, std::int64_t extent, LoopKind kind) {
    while (std::any_of(nest.loops.begin(), nest.loops.end(), [&](const auto &l) { return l.name == name; }))
        name += '\'';
    nest.loops.push_back({name, extent, kind});
    return static_cast<int>(nest.loops.size()) - 1;
}

/// The nest of an operation whose dimensions correspond by role. Loops stand in the order of `order`'s dimensions.
Nest nest_by_role(mlir::Operation *op, TensorType order) {
    Nest nest;
    loops_by_role(nest, order);
    for (mlir::Value operand : op->getOperands())
        nest.operands.push_back(loops_by_role(nest, tensor(operand)));
    for (mlir::Value result : op->getResults())
        nest.results.push_back(loops_by_role(nest, tensor(result)));
    mark_parallel(nest);
    return nest;
}

/// Loops of a tensor whose dimension `looked_up` has the loop `at`.
std::vector<int> table_loops(Nest &nest, TensorType table, llvm::StringRef looked_up, int at) {
    std::vector<int> loops;
    for (auto [role, extent] : llvm::zip(table.getRoles(), table.getExtents()))
        loops.push_back(role == looked_up ? at : loop(nest, role.getValue(), extent));
    return loops;
}

/// The loops of a look-up: the rows' dimensions, then the one that is looked up.
struct LookUp {
    Nest nest;
    std::vector<int> indices;
    std::vector<int> table;
    std::vector<int> rows;

    LookUp(TensorType index_type, TensorType table_type, TensorType row_type, llvm::StringRef dimension) {
        rows = loops_by_role(nest, row_type);
        indices = loops_by_role(nest, index_type);
        const auto at = static_cast<std::size_t>(table_type.find(dimension));
        const int looked_up = fresh_loop(nest, dimension.str(), table_type.getExtents()[at], LoopKind::reduced);
        table = table_loops(nest, table_type, dimension, looked_up);
    }
};

/// The nest of an operation that moves elements: loops by role; dimensions for which `is_whole` is true have whole
/// loops, one for each tensor.
Nest nest_of_moves(mlir::Operation *op, llvm::function_ref<bool(TensorType, std::size_t)> is_whole) {
    Nest nest;
    const auto loops = [&](mlir::Value value, bool make_whole) {
        const TensorType type = tensor(value);
        std::vector<int> result;
        for (std::size_t d = 0; d < type.getRoles().size(); ++d) {
            const llvm::StringRef role = type.getRoles()[d].getValue();
            const std::int64_t extent = type.getExtents()[d];
            if (!is_whole(type, d))
                result.push_back(loop(nest, role, extent));
            else if (make_whole)
                result.push_back(fresh_loop(nest, role.str(), extent, LoopKind::whole));
        }
        return result;
    };
    // Loops by role come first, so that they get the plain names.
    loops(op->getResult(0), false);
    for (sharding::Loop &loop : nest.loops)
        loop.kind = LoopKind::parallel;
    nest.results.push_back(loops(op->getResult(0), true));
    for (mlir::Value operand : op->getOperands())
        nest.operands.push_back(loops(operand, true));
    nest.linear = true;
    return nest;
}

Nest nest_of_moves_along(mlir::Operation *op, llvm::StringRef dimension) {
    return nest_of_moves(op, [&](TensorType type, std::size_t d) { return type.getRoles()[d] == dimension; });
}

/// Partial sums pass through sums and through products with numbers. A number added in a sum would be added on every
/// rank.
bool is_linear(PointwiseOp op) {
    const auto is_number = [](mlir::Value value) { return constant_value(value).has_value(); };
    const auto inputs = op.getInputs();
    if (op.getFunction() == "mul")
        return is_number(inputs[0]) != is_number(inputs[1]);
    if (op.getFunction() == "div")
        return !is_number(inputs[0]) && is_number(inputs[1]);
    const PointwiseFunction *function = find_pointwise(op.getFunction());
    return function->linear && llvm::none_of(inputs, is_number);
}

} // namespace

Nest nest_of(mlir::Operation *operation) {
    return mlir::cast<NestInterface>(operation).nest();
}

sharding::SparseLoops sparse_loops(const sharding::Nest &nest, int outer, int inner, std::int64_t nonzeros,
                                   std::int64_t matrix) {
    const auto extent = [&](int loop) {
        return static_cast<double>(nest.loops[static_cast<std::size_t>(loop)].extent);
    };
    return {outer, inner, static_cast<double>(nonzeros) / (extent(outer) * extent(inner)), static_cast<int>(matrix)};
}

std::optional<double> constant_value(mlir::Value value) {
    if (auto constant = value.getDefiningOp<ConstantOp>())
        return constant.getValue().convertToDouble();
    return std::nullopt;
}

Nest ConstantOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest IotaOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest RandomOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest StepOp::nest() {
    return nest_by_role(*this, getResult().getType());
}

Nest AccumulateOp::nest() {
    Nest nest = nest_by_role(*this, getResult().getType());
    nest.linear = true;
    return nest;
}

Nest EmbeddingOp::nest() {
    LookUp look_up(getIndices().getType(), getTable().getType(), getResult().getType(), getDimension());
    look_up.nest.operands = {look_up.indices, look_up.table};
    look_up.nest.results = {look_up.rows};
    mark_parallel(look_up.nest);
    return std::move(look_up.nest);
}

Nest EmbeddingGradientOp::nest() {
    LookUp look_up(getIndices().getType(), getResult().getType(), getGradient().getType(), getDimension());
    look_up.nest.operands = {look_up.indices, look_up.rows};
    look_up.nest.results = {look_up.table};
    mark_parallel(look_up.nest);
    return std::move(look_up.nest);
}

Nest SliceOp::nest() {
    return nest_of_moves_along(*this, getDimension());
}

Nest PadOp::nest() {
    return nest_of_moves_along(*this, getDimension());
}

Nest ConcatOp::nest() {
    return nest_of_moves_along(*this, getDimension());
}

Nest EinsumOp::nest() {
    const auto subscripts = parse_subscripts(getSubscripts());
    Nest nest;
    for (auto [names, input] : llvm::zip(subscripts->operands, getInputs()))
        nest.operands.push_back(loops_by_name(nest, names, tensor(input)));
    nest.results.push_back(loops_by_name(nest, subscripts->result, getResult().getType()));
    mark_parallel(nest);
    nest.linear = getInputs().size() == 1;
    return nest;
}

Nest PointwiseOp::nest() {
    Nest nest = nest_by_role(*this, getResult().getType());
    nest.linear = is_linear(*this);
    return nest;
}

Nest ReduceOp::nest() {
    Nest nest = nest_by_role(*this, getOperand().getType());
    nest.linear = getReduction() == "sum";
    if (getReduction() == "max")
        nest.reduction = sharding::Reduction::max;
    if (getReduction() == "min")
        nest.reduction = sharding::Reduction::min;
    return nest;
}

} // namespace planc::ir
