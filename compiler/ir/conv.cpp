// plan.conv: its verifier and its loop nest.

#include "ir/layer_builder.h"
#include "ir/plan_dialect.h"
#include "ir/subscripts.h"
#include "ir/windows.h"

#include <algorithm>
#include <map>

namespace planc::ir {

using mlir::failure;
using mlir::LogicalResult;
using mlir::StringRef;
using mlir::success;

namespace {

using Names = std::vector<std::string>;

bool contains(const Names &names, StringRef name) {
    return std::find(names.begin(), names.end(), name.str()) != names.end();
}

/// The convolution that makes a value (unpacked if it is a weight gradient); null if there is none.
ConvOp made_by(mlir::Value value) {
    if (auto unpack = value.getDefiningOp<UnpackOp>())
        value = unpack.getOperand();
    return value.getDefiningOp<ConvOp>();
}

class Verifier {
  public:
    explicit Verifier(ConvOp op) : op_(op), windows_(names_of(op.getWindows())), kernels_(names_of(op.getKernels())) {}

    LogicalResult run() {
        if (op_.getKind() != "forward" && op_.getKind() != "input_gradient" && op_.getKind() != "weight_gradient")
            return op_.emitOpError() << "'" << op_.getKind() << "' is none of forward, input_gradient, weight_gradient";
        const auto subscripts = parse_subscripts(op_.getSubscripts());
        if (!subscripts || subscripts->operands.size() != 2)
            return op_.emitOpError() << "subscripts '" << op_.getSubscripts()
                                     << "' are not of two operands and a result";
        if (failed(check_window_numbers(op_, windows_.size(), kernels_.size(), op_.getStrides(), op_.getDilations(),
                                        op_.getPaddings())) ||
            failed(check_loops(*subscripts)))
            return failure();
        for (std::size_t i = 0; i < windows_.size(); ++i)
            if (failed(check_window(subscripts->operands[0], i)))
                return failure();
        return check_accumulator();
    }

  private:
    /// Fills extents_ from all dimensions but those with windows.
    LogicalResult check_loops(const Subscripts &subscripts) {
        if (failed(check_tensor(subscripts.operands[0], op_.getFirst().getType(), true)) ||
            failed(check_tensor(subscripts.operands[1], op_.getSecond().getType(), false)) ||
            failed(check_tensor(subscripts.result, op_.getResult().getType(), false)))
            return failure();
        for (const std::string &loop : subscripts.result)
            if (!contains(subscripts.operands[0], loop) && !contains(subscripts.operands[1], loop) &&
                !contains(kernels_, loop))
                return op_.emitOpError() << "loop '" << loop << "' of the result is in no operand";
        return success();
    }

    LogicalResult check_tensor(const Names &loops, TensorType type, bool windowed) {
        if (loops.size() != type.getExtents().size())
            return op_.emitOpError() << "subscripts name " << loops.size() << " loops for " << type;
        for (auto [loop, extent] : llvm::zip(loops, type.getExtents())) {
            if (std::count(loops.begin(), loops.end(), loop) > 1)
                return op_.emitOpError() << "loop '" << loop << "' appears twice for " << type;
            if (windowed && contains(windows_, loop)) {
                moved_over_[loop] = extent;
                continue;
            }
            const auto [known, fresh] = extents_.emplace(loop, extent);
            if (!fresh && known->second != extent)
                return op_.emitOpError() << "loop '" << loop << "' runs over " << known->second << " and over "
                                         << extent;
        }
        return success();
    }

    LogicalResult check_window(const Names &first, std::size_t i) {
        const std::string &loop = windows_[i];
        const std::string &kernel = kernels_[i];
        if (std::count(windows_.begin(), windows_.end(), loop) > 1 ||
            std::count(kernels_.begin(), kernels_.end(), kernel) > 1)
            return op_.emitOpError() << "'" << loop << "' with '" << kernel << "' is a second window of one loop";
        if (!contains(first, loop) || !extents_.contains(loop))
            return op_.emitOpError() << "'" << loop << "' is not a loop of the first operand and of another tensor";
        if (contains(first, kernel) || !extents_.contains(kernel))
            return op_.emitOpError() << "'" << kernel << "' is not a loop of the second operand or the result alone";
        const bool transposed = op_.getKind() == "input_gradient";
        const std::int64_t extent = transposed ? extents_[loop] : moved_over_[loop];
        const std::int64_t positions = transposed ? moved_over_[loop] : extents_[loop];
        return check_places(op_, loop, extent, extents_[kernel], positions, WindowNumbers(op_, i));
    }

    LogicalResult check_accumulator() {
        const mlir::Value accumulator = op_.getAccumulator();
        if (!accumulator)
            return success();
        ConvOp before = made_by(accumulator);
        if (!before || before.getKind() != op_.getKind() || before.getSubscripts() != op_.getSubscripts() ||
            !accumulator.hasOneUse())
            return op_.emitOpError() << "is added to something else than the same convolution of other rows";
        if (accumulator.getType() != op_.getResult().getType())
            return op_.emitOpError() << "the accumulator is " << accumulator.getType() << ", the result "
                                     << op_.getResult().getType();
        return success();
    }

    ConvOp op_;
    Names windows_;
    Names kernels_;
    std::map<std::string, std::int64_t> extents_;    ///< of loops
    std::map<std::string, std::int64_t> moved_over_; ///< of the first operand's dimensions with windows
};

} // namespace

LogicalResult ConvOp::verify() {
    return Verifier(*this).run();
}

bool ConvOp::isPart() {
    if (getAccumulator())
        return true;
    const mlir::Value result = getResult();
    return llvm::any_of(result.getUsers(), [&](mlir::Operation *user) {
        const mlir::Value value = mlir::isa<UnpackOp>(user) ? user->getResult(0) : result;
        return llvm::any_of(value.getUsers(), [&](mlir::Operation *next) {
            auto conv = mlir::dyn_cast<ConvOp>(next);
            return conv && conv.getAccumulator() == value;
        });
    });
}

sharding::Nest ConvOp::nest() {
    const auto subscripts = *parse_subscripts(getSubscripts());
    const Names windows = names_of(getWindows());
    const Names kernels = names_of(getKernels());
    const Names names = subscripts.loops();
    sharding::Nest nest;
    for (const std::string &name : names) {
        const bool parallel = contains(subscripts.result, name);
        nest.loops.push_back({name, 0, parallel ? sharding::LoopKind::parallel : sharding::LoopKind::reduced});
    }
    const auto number = [&](const std::string &name) {
        return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    const auto tensor = [&](const Names &loops, TensorType type) {
        std::vector<int> numbers;
        for (auto [name, extent] : llvm::zip(loops, type.getExtents())) {
            numbers.push_back(number(name));
            nest.loops[static_cast<std::size_t>(numbers.back())].extent = extent;
        }
        return numbers;
    };
    // The first operand comes first: of loops with windows the extents are those of the other tensors.
    nest.operands.push_back(tensor(subscripts.operands[0], getFirst().getType()));
    nest.operands.push_back(tensor(subscripts.operands[1], getSecond().getType()));
    nest.results.push_back(tensor(subscripts.result, getResult().getType()));
    if (getAccumulator())
        nest.operands.push_back(nest.results[0]);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const WindowNumbers numbers(*this, i);
        const auto dimension =
            static_cast<int>(std::find(subscripts.operands[0].begin(), subscripts.operands[0].end(), windows[i]) -
                             subscripts.operands[0].begin());
        nest.loops[static_cast<std::size_t>(number(kernels[i]))].kind = sharding::LoopKind::whole;
        nest.windows.push_back({0, dimension, number(kernels[i]),
                                getFirst().getType().getExtents()[static_cast<std::size_t>(dimension)], numbers.stride,
                                numbers.dilation, numbers.before, getKind() == "input_gradient"});
    }
    return nest;
}

} // namespace planc::ir
