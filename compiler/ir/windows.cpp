#include "ir/windows.h"

#include "sema/primitives/windows.h"

namespace planc::ir {

using mlir::LogicalResult;
using mlir::success;

std::vector<std::string> names_of(mlir::ArrayAttr names) {
    std::vector<std::string> result;
    for (mlir::Attribute name : names)
        result.push_back(mlir::cast<mlir::StringAttr>(name).str());
    return result;
}

std::int64_t WindowNumbers::places(std::int64_t extent, std::int64_t kernel) const {
    return sema::positions({"", kernel, stride, dilation, before, behind}, extent);
}

LogicalResult check_window_numbers(mlir::Operation *op, std::size_t windows, std::size_t kernels,
                                   mlir::ArrayRef<std::int64_t> strides, mlir::ArrayRef<std::int64_t> dilations,
                                   mlir::ArrayRef<std::int64_t> paddings) {
    if (kernels != windows || strides.size() != windows || dilations.size() != windows ||
        paddings.size() != 2 * windows)
        return op->emitOpError() << windows << " windows take as many kernels, strides and dilations and "
                                 << 2 * windows << " paddings, not " << kernels << ", " << strides.size() << ", "
                                 << dilations.size() << " and " << paddings.size();
    const auto below = [](std::int64_t least) { return [least](std::int64_t number) { return number < least; }; };
    if (llvm::any_of(strides, below(1)) || llvm::any_of(dilations, below(1)) || llvm::any_of(paddings, below(0)))
        return op->emitOpError() << "strides and dilations are at least 1, paddings at least 0";
    return success();
}

LogicalResult check_places(mlir::Operation *op, const std::string &name, std::int64_t extent, std::int64_t kernel,
                           std::int64_t positions, const WindowNumbers &numbers) {
    const std::int64_t places = numbers.places(extent, kernel);
    if (places == positions)
        return success();
    return op->emitOpError() << "'" << name << "' of " << extent << " with padding " << numbers.before << " + "
                             << numbers.behind << " has " << places << " places for a window of " << kernel
                             << " at stride " << numbers.stride << " and dilation " << numbers.dilation << ", not "
                             << positions;
}

} // namespace planc::ir
