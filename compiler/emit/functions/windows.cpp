#include "emit/functions/windows.h"

#include "emit/names/text.h"
#include "ir/windows.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"

#include <algorithm>

namespace planc::emit {

namespace {

using schedule::Loops;
using schedule::LoopSpace;

/// One window in terms of the rank's rows of x and y: "{height, height_2, 3, 1, 1, 1 + height_begin - height_begin_2}".
std::string window_text(Body &body, const schedule::LoopDimension &x, const schedule::LoopDimension &y,
                        std::int64_t kernel, const ir::WindowNumbers &numbers) {
    std::string padding = std::to_string(numbers.before);
    if (!x.axes.empty())
        padding += " + " + body.begin(x);
    if (!y.axes.empty())
        padding += " - " + body.begin(y) + (numbers.stride == 1 ? "" : " * " + std::to_string(numbers.stride));
    return "{" +
           joined({body.extent(x), body.extent(y), std::to_string(kernel), std::to_string(numbers.stride),
                   std::to_string(numbers.dilation), padding}) +
           "}";
}

/// The dimensions of a convolution's tensor by their loops.
class Dimensions {
  public:
    explicit Dimensions(const schedule::ConvolutionTensor &tensor)
        : loops_(tensor.loops), space_(schedule::dimensions_of(schedule::tensor(tensor.value))) {}

    [[nodiscard]] const schedule::LoopDimension &of(const std::string &loop) const {
        return space_[static_cast<std::size_t>(std::find(loops_.begin(), loops_.end(), loop) - loops_.begin())];
    }

    [[nodiscard]] LoopSpace of(const Loops &loops) const {
        LoopSpace result;
        for (const std::string &loop : loops)
            result.push_back(of(loop));
        return result;
    }

  private:
    const Loops &loops_;
    LoopSpace space_;
};

std::string convolution_text(Body &body, ir::ConvOp conv) {
    const schedule::ConvolutionParts parts(conv);
    const Dimensions x(parts.x);
    const Dimensions w(parts.w);
    const Dimensions y(parts.y);
    std::vector<std::string> windows;
    for (std::size_t i = 0; i < parts.windows.size(); ++i)
        windows.push_back(window_text(body, x.of(parts.windows[i]), y.of(parts.windows[i]),
                                      w.of(parts.kernels[i]).extent,
                                      ir::WindowNumbers(conv, parts.window(parts.windows[i]))));
    return "{" +
           joined({body.extents(x.of(parts.samples)), body.extents(w.of(parts.groups)), body.extents(w.of(parts.in)),
                   body.extents(w.of(parts.out)), "{" + joined(windows) + "}"}) +
           "}";
}

/// The name of the convolution's geometry in the body.
std::string geometry(Body &body, ir::ConvOp conv) {
    return body.constant("planrt::Convolution", "conv", convolution_text(body, conv));
}

std::string kind_text(ir::ConvOp conv) {
    return "planrt::ConvolutionKind::" + conv.getKind().str();
}

/// The template arguments of a call: the side of Winograd's windows.
std::string format_arguments(ir::ConvOp conv) {
    if (schedule::weights_format(conv) != schedule::winograd_format)
        return "";
    const schedule::ConvolutionParts parts(conv);
    return "<" + std::to_string(Dimensions(parts.w).of(parts.kernels.front()).extent) + ">";
}

/// The windows move over x, and y has their positions; both are in the kernel's order of dimensions.
template <class Op> std::string pool_text(Body &body, Op op, ir::TensorType x_type, ir::TensorType y_type) {
    const LoopSpace x = schedule::dimensions_of(x_type);
    const LoopSpace y = schedule::dimensions_of(y_type);
    const std::vector<std::string> names = ir::names_of(op.getWindows());
    const auto first = static_cast<std::ptrdiff_t>(names.empty() ? 0 : x_type.find(names.front()));
    const auto behind = first + static_cast<std::ptrdiff_t>(names.size());
    std::vector<std::string> windows;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t at = static_cast<std::size_t>(first) + i;
        windows.push_back(window_text(body, x[at], y[at], op.getKernels()[i], ir::WindowNumbers(op, i)));
    }
    return body.constant("planrt::Pool", "pool",
                         "{" +
                             joined({body.extents({x.begin(), x.begin() + first}),
                                     body.extents({x.begin() + behind, x.end()}), "{" + joined(windows) + "}"}) +
                             "}");
}

} // namespace

void write_convolution(Body &body, ir::ConvOp conv) {
    const llvm::StringRef format = schedule::weights_format(conv);
    if (format == schedule::winograd_format)
        body.prepare("planrt::winograd_prepare" + format_arguments(conv) + "(" + kind_text(conv) + ", " +
                     convolution_text(body, conv) + ");");
    else if (format == schedule::packed_format)
        body.prepare("planrt::prepare(" + kind_text(conv) + ", " + convolution_text(body, conv) + ");");
    const std::string gradient = conv.getKind() == "forward" ? "" : "_" + conv.getKind().str();
    const char *const added = conv.getAccumulator() ? "add_" : ""; // the accumulator is in the result's buffer
    body.line("planrt::" + (added + format.str()) + (format.empty() ? "" : "_") + "convolution" + gradient +
              format_arguments(conv) + "(" +
              joined({geometry(body, conv), body.buffer(conv.getFirst()), body.buffer(conv.getSecond()),
                      body.buffer(conv.getResult(), true)}) +
              ");");
}

void write_pack(Body &body, ir::PackOp pack) {
    ir::ConvOp conv = pack.getConvolution();
    const bool winograd = schedule::weights_format(conv) == schedule::winograd_format;
    body.line((winograd ? "planrt::winograd_pack" : "planrt::pack_weights") + format_arguments(conv) + "(" +
              joined({kind_text(conv), geometry(body, conv), body.buffer(pack.getOperand()),
                      body.buffer(pack.getResult(), true)}) +
              ");");
}

void write_unpack(Body &body, ir::UnpackOp unpack) {
    auto conv = unpack.getOperand().getDefiningOp<ir::ConvOp>();
    const bool winograd = schedule::weights_format(conv) == schedule::winograd_format;
    body.line((winograd ? "planrt::winograd_unpack" : "planrt::unpack_weights") + format_arguments(conv) + "(" +
              joined({geometry(body, conv), body.buffer(unpack.getOperand()), body.buffer(unpack.getResult(), true)}) +
              ");");
}

void write_pool(Body &body, ir::PoolOp pool) {
    const ir::TensorType from = schedule::tensor(pool.getInputs()[0]);
    const ir::TensorType to = pool.getResult().getType();
    const std::string shape = pool.isGradient() ? pool_text(body, pool, to, from) : pool_text(body, pool, from, to);
    const bool sum = pool.getKind().starts_with("sum");
    std::vector<std::string> arguments{shape};
    for (mlir::Value input : pool.getInputs())
        arguments.push_back(body.buffer(input));
    arguments.push_back(body.buffer(pool.getResult(), true));
    body.line("planrt::" + std::string(sum ? "sum_pool" : "max_pool") + (pool.isGradient() ? "_gradient" : "") + "(" +
              joined(arguments) + ");");
}

void write_max_pool(Body &body, ir::MaxPoolOp pool) {
    const std::string shape = pool_text(body, pool, pool.getOperand().getType(), pool.getMaxima().getType());
    body.line("planrt::max_pool(" +
              joined({shape, body.buffer(pool.getOperand()), body.buffer(pool.getMaxima(), true),
                      body.buffer(pool.getNumbers(), true)}) +
              ");");
}

} // namespace planc::emit
