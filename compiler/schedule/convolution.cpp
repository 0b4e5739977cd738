#include "schedule/convolution.h"

#include "ir/placement.h"
#include "ir/subscripts.h"
#include "ir/windows.h"
#include "schedule/functions.h"

#include <planrt/convolution.h>

#include <algorithm>

namespace planc::schedule {

namespace {

bool has(const Loops &loops, const std::string &loop) {
    return llvm::is_contained(loops, loop);
}

Loops joined(const std::vector<Loops> &groups) {
    Loops all;
    for (const Loops &group : groups)
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

} // namespace

ConvolutionParts::ConvolutionParts(ir::ConvOp conv) : attribute_order_(ir::names_of(conv.getWindows())) {
    const auto subscripts = *ir::parse_subscripts(conv.getSubscripts());
    const ConvolutionTensor first{conv.getFirst(), subscripts.operands[0]};
    const ConvolutionTensor second{conv.getSecond(), subscripts.operands[1]};
    const ConvolutionTensor result{conv.getResult(), subscripts.result};
    x = conv.getKind() == "input_gradient" ? result : first;
    w = conv.getKind() == "weight_gradient" ? result : second;
    y = conv.getKind() == "forward" ? result : conv.getKind() == "input_gradient" ? first : second;
    const Loops all_kernels = ir::names_of(conv.getKernels());
    for (const std::string &loop : x.loops) {
        if (has(attribute_order_, loop)) {
            windows.push_back(loop);
            kernels.push_back(all_kernels[window(loop)]);
        } else if (has(y.loops, loop)) {
            (has(w.loops, loop) ? groups : samples).push_back(loop);
        } else {
            (has(w.loops, loop) ? in : alone).push_back(loop);
        }
    }
    for (const std::string &loop : y.loops)
        if (!has(x.loops, loop))
            (has(w.loops, loop) ? out : alone).push_back(loop);
    for (const std::string &loop : w.loops)
        if (!has(x.loops, loop) && !has(y.loops, loop) && !has(kernels, loop))
            alone.push_back(loop);
}

Loops ConvolutionParts::order_of_x() const {
    return joined({samples, windows, groups, in});
}

Loops ConvolutionParts::order_of_w() const {
    return joined({kernels, groups, in, out});
}

Loops ConvolutionParts::order_of_y() const {
    return joined({samples, windows, groups, out});
}

std::size_t ConvolutionParts::window(const std::string &loop) const {
    return static_cast<std::size_t>(std::find(attribute_order_.begin(), attribute_order_.end(), loop) -
                                    attribute_order_.begin());
}

llvm::StringRef weights_format(ir::ConvOp conv) {
    const auto format = conv->getAttrOfType<mlir::StringAttr>("format");
    return format ? format.getValue() : llvm::StringRef();
}

namespace {

/// The first rank's block of a tensor, by its loops.
class FirstBlock {
  public:
    FirstBlock(const ConvolutionTensor &tensor, ir::MeshAttr mesh)
        : loops_(tensor.loops),
          box_(planrt::local_box(ir::placement_of(schedule::tensor(tensor.value), mesh), ir::mesh_of(mesh), 0)) {}

    [[nodiscard]] planrt::Range range(const std::string &loop) const {
        return box_[static_cast<std::size_t>(llvm::find(loops_, loop) - loops_.begin())];
    }
    [[nodiscard]] std::int64_t extent(const Loops &loops) const {
        std::int64_t product = 1;
        for (const std::string &loop : loops)
            product *= range(loop).size();
        return product;
    }

  private:
    const Loops &loops_;
    planrt::Box box_;
};

} // namespace

planrt::Convolution largest_convolution(ir::ConvOp conv, ir::MeshAttr mesh) {
    const ConvolutionParts parts(conv);
    const FirstBlock x(parts.x, mesh);
    const FirstBlock w(parts.w, mesh);
    const FirstBlock y(parts.y, mesh);
    planrt::Convolution result{
        x.extent(parts.samples), w.extent(parts.groups), w.extent(parts.in), w.extent(parts.out), {}};
    for (std::size_t i = 0; i < parts.windows.size(); ++i) {
        const ir::WindowNumbers numbers(conv, parts.window(parts.windows[i]));
        const planrt::Range from = x.range(parts.windows[i]);
        const planrt::Range to = y.range(parts.windows[i]);
        result.windows[i] = {from.size(),    to.size(),        w.range(parts.kernels[i]).size(),
                             numbers.stride, numbers.dilation, numbers.before + from.begin - to.begin * numbers.stride};
    }
    return result;
}

std::int64_t packed_elements(ir::ConvOp conv, ir::MeshAttr mesh) {
    const planrt::Convolution shape = largest_convolution(conv, mesh);
    if (weights_format(conv) == winograd_format)
        return planrt::winograd_weights(shape.windows[0].kernel, shape.groups, shape.in, shape.out);
    std::int64_t window = 1;
    for (const planrt::WindowBlock &block : shape.windows)
        window *= block.kernel;
    return planrt::packed_weights(window, shape.groups, shape.in, shape.out);
}

ir::ConvOp format_of(mlir::Value value) {
    if (auto pack = value.getDefiningOp<ir::PackOp>())
        return pack.getConvolution();
    auto conv = value.getDefiningOp<ir::ConvOp>();
    return conv && conv->hasAttr("format") && conv.getKind() == "weight_gradient" ? conv : ir::ConvOp();
}

} // namespace planc::schedule
