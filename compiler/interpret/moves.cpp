#include "interpret/moves.h"

#include "interpret/interpret.h"
#include "ir/layer_builder.h"

namespace planc::interpret {

using planrt::Box;

namespace {

std::size_t position(mlir::Value tensor, mlir::StringRef dimension) {
    return static_cast<std::size_t>(ir::type_of(tensor).find(dimension));
}

Box shifted(Box box, std::size_t dimension, std::int64_t by) {
    box[dimension].begin += by;
    box[dimension].end += by;
    return box;
}

/// Puts the part into the result, `at` indices along the dimension.
void put(Local &result, const Local &part, std::size_t dimension, std::int64_t at) {
    for_each_offset(result.box, shifted(part.box, dimension, at),
                    [&](std::size_t outer, std::size_t inner) { result.elements[outer] = part.elements[inner]; });
}

void concat(ir::ConcatOp op, const std::vector<const Local *> &operands, Local &result) {
    const std::size_t dimension = position(op.getResult(), op.getDimension());
    std::int64_t at = 0;
    for (const Local *operand : operands) {
        put(result, *operand, dimension, at);
        at += operand->box[dimension].size();
    }
}

} // namespace

bool is_move(mlir::Operation *op) {
    return mlir::isa<ir::SliceOp, ir::PadOp, ir::ConcatOp, ir::ReshapeOp>(op);
}

void move(mlir::Operation *op, const std::vector<const Local *> &operands, Local &result) {
    if (!result.is_whole() || !operands[0]->is_whole())
        throw Failure("elements of tensors that are stored in shares are not moved");
    if (auto slice = mlir::dyn_cast<ir::SliceOp>(op)) {
        const Box part = shifted(result.box, position(slice.getResult(), slice.getDimension()),
                                 static_cast<std::int64_t>(slice.getBegin()));
        for_each_offset(operands[0]->box, part, [&](std::size_t outer, std::size_t inner) {
            result.elements[inner] = operands[0]->elements[outer];
        });
    } else if (auto pad = mlir::dyn_cast<ir::PadOp>(op)) {
        put(result, *operands[0], position(pad.getResult(), pad.getDimension()),
            static_cast<std::int64_t>(pad.getBefore()));
    } else if (auto join = mlir::dyn_cast<ir::ConcatOp>(op)) {
        concat(join, operands, result);
    } else {
        result.elements = operands[0]->elements; // what is cut is cut alike, and the rest is whole
    }
}

} // namespace planc::interpret
