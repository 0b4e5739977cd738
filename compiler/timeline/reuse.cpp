#include "timeline/reuse.h"

#include "schedule/buffers.h"
#include "schedule/functions.h"

#include "llvm/ADT/SetVector.h"

namespace planc::timeline {

namespace {

cost::Bytes whole_bytes(mlir::Value value) {
    const ir::TensorType type = schedule::tensor(value);
    double elements = 1;
    for (const int64_t extent : type.getExtents())
        elements *= static_cast<double>(extent);
    return cost::Bytes(elements * type.getElementType().getIntOrFloatBitWidth() / 8);
}

/// The operands that a kernel reads from memory; for a fused loop, each operand from outside, at its first reader.
std::vector<mlir::OpOperand *> read_by(mlir::Operation *kernel) {
    std::vector<mlir::OpOperand *> operands;
    llvm::SmallSetVector<mlir::Value, 8> seen;
    const auto add = [&](mlir::Operation *op, mlir::Block *inside) {
        for (mlir::OpOperand &operand : op->getOpOperands())
            if (mlir::isa<ir::TensorType>(operand.get().getType()) && operand.get().getParentBlock() != inside &&
                seen.insert(operand.get()))
                operands.push_back(&operand);
    };
    if (auto loops = mlir::dyn_cast<ir::LoopsOp>(kernel)) {
        mlir::Block &body = loops.getBody().front();
        for (mlir::Operation &op : body.without_terminator())
            add(&op, &body);
    } else {
        add(kernel, nullptr);
    }
    return operands;
}

} // namespace

int64_t variable_offset(ir::WriteOp write, mlir::SymbolTableCollection &symbols) {
    auto variable = symbols.lookupNearestSymbolFrom<ir::VariableOp>(write, write.getVariableAttr());
    return variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
}

std::vector<mlir::func::FuncOp> functions_of(const schedule::Bodies &bodies, int role) {
    std::vector<mlir::func::FuncOp> functions;
    for (const program::Action &action : bodies.program().actions[static_cast<std::size_t>(role)])
        if (action.kind == program::ActionKind::run)
            functions.push_back(bodies.functions()[static_cast<std::size_t>(action.index)]);
    return functions;
}

bool takes_time(mlir::Operation *op, mlir::SymbolTableCollection &symbols) {
    if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
        return schedule::offset_of(write.getValue()) != variable_offset(write, symbols);
    return schedule::is_kernel(op) || mlir::isa<ir::LoopsOp>(op);
}

Reuse::Reuse(const std::vector<mlir::func::FuncOp> &functions) {
    for (int round = 0; round < 2; ++round)
        for (mlir::func::FuncOp function : functions)
            for (mlir::Operation &op : function.getBody().front())
                if (schedule::is_kernel(&op) || mlir::isa<ir::LoopsOp, ir::WriteOp>(op))
                    add(&op);
                else if (mlir::isa<ir::WaitOp>(op))
                    arrive(&op);
}

/// The bytes that a collective itself moves do not count.
void Reuse::arrive(mlir::Operation *wait) {
    std::vector<int64_t> made;
    for (mlir::Value result : wait->getResults())
        made.push_back(schedule::offset_of(result));
    along_.run(cost::Bytes(0), {}, made);
}

void Reuse::add(mlir::Operation *kernel) {
    cost::Bytes moved{};
    std::vector<int64_t> read;
    std::vector<int64_t> made;
    const std::vector<mlir::OpOperand *> operands = read_by(kernel);
    for (mlir::OpOperand *operand : operands) {
        moved += whole_bytes(operand->get());
        read.push_back(schedule::offset_of(operand->get()));
    }
    for (mlir::Value result : kernel->getResults()) {
        moved += whole_bytes(result);
        made.push_back(schedule::offset_of(result));
    }
    auto write = mlir::dyn_cast<ir::WriteOp>(kernel);
    if (write) {
        read.push_back(variable_offset(write, symbols_));
        if (read.back() == read.front())
            return; // is there already
        moved += moved;
    }
    const std::vector<cost::Bytes> distances = along_.run(moved, read, made);
    if (write)
        variables_[write] = distances.back();
    for (auto [operand, distance] : llvm::zip_first(operands, distances))
        distances_[operand] = distance;
}

} // namespace planc::timeline
