// plan.pool: its verifier and its loop nest.

#include "ir/plan_dialect.h"
#include "ir/windows.h"

#include <algorithm>
#include <set>

namespace planc::ir {

using mlir::failure;
using mlir::LogicalResult;
using mlir::StringRef;
using mlir::success;

namespace {

class Verifier {
  public:
    explicit Verifier(PoolOp op) : op_(op), windows_(names_of(op.getWindows())), result_(op.getResult().getType()) {}

    LogicalResult run() {
        static constexpr StringRef kinds[] = {"max", "argmax", "sum", "max_gradient", "sum_gradient"};
        if (!llvm::is_contained(kinds, op_.getKind()))
            return op_.emitOpError() << "'" << op_.getKind()
                                     << "' is none of max, argmax, sum, max_gradient, sum_gradient";
        const std::size_t count = op_.getKind() == "max_gradient" ? 2 : 1;
        if (op_.getInputs().size() != count)
            return op_.emitOpError() << op_.getKind() << " takes " << count << " operands, not "
                                     << op_.getInputs().size();
        if (failed(check_window_numbers(op_, windows_.size(), op_.getKernels().size(), op_.getStrides(),
                                        op_.getDilations(), op_.getPaddings())))
            return failure();
        if (llvm::any_of(op_.getKernels(), [](std::int64_t kernel) { return kernel < 1; }))
            return op_.emitOpError() << "kernels are at least 1";
        if (failed(check_elements()) || failed(check_windows()))
            return failure();
        for (mlir::Value input : op_.getInputs())
            if (failed(check_dimensions(mlir::cast<TensorType>(input.getType()))))
                return failure();
        return success();
    }

  private:
    /// Checks that numbers within windows are i32 and everything else has one floating-point type.
    LogicalResult check_elements() {
        const mlir::Type first = mlir::cast<TensorType>(op_.getInputs()[0].getType()).getElementType();
        const bool numbers = op_.getKind() == "argmax";
        const bool fits = numbers ? result_.getElementType().isSignlessInteger(32) : result_.getElementType() == first;
        if (!mlir::isa<mlir::FloatType>(first) || !fits)
            return op_.emitOpError() << op_.getKind() << " of " << first << " does not give "
                                     << result_.getElementType();
        if (op_.getInputs().size() < 2)
            return success();
        const mlir::Type second = mlir::cast<TensorType>(op_.getInputs()[1].getType()).getElementType();
        if (second.isSignlessInteger(32))
            return success();
        return op_.emitOpError() << "numbers within windows are i32, not " << second;
    }

    LogicalResult check_windows() {
        std::set<std::string> seen;
        for (const std::string &window : windows_) {
            if (!seen.insert(window).second)
                return op_.emitOpError() << "'" << window << "' has two windows";
            if (result_.find(window) < 0)
                return op_.emitOpError() << result_ << " has no dimension '" << window << "'";
        }
        return success();
    }

    LogicalResult check_dimensions(TensorType input) {
        if (input.getRoles() != result_.getRoles())
            return op_.emitOpError() << input << " and " << result_ << " do not have the same dimensions in one order";
        for (std::size_t d = 0; d < input.getRoles().size(); ++d) {
            const std::string role = input.getRoles()[d].str();
            const std::int64_t from = input.getExtents()[d];
            const std::int64_t to = result_.getExtents()[d];
            const auto i =
                static_cast<std::size_t>(std::find(windows_.begin(), windows_.end(), role) - windows_.begin());
            if (i == windows_.size() && from != to)
                return op_.emitOpError() << "'" << role << "' has no window, but becomes " << to << " of " << from;
            if (i < windows_.size() && failed(check_places(op_, role, op_.isGradient() ? to : from, op_.getKernels()[i],
                                                           op_.isGradient() ? from : to, WindowNumbers(op_, i))))
                return failure();
        }
        return success();
    }

    PoolOp op_;
    std::vector<std::string> windows_;
    TensorType result_;
};

} // namespace

LogicalResult PoolOp::verify() {
    return Verifier(*this).run();
}

namespace {

/// Operands and results have the same loops; a second loop, that of the window, also indexes dimensions with windows.
template <class Op> sharding::Nest nest_of_pool(Op op, bool transposed) {
    const auto result = mlir::cast<TensorType>(op->getResult(0).getType());
    sharding::Nest nest;
    std::vector<int> all;
    for (auto [role, extent] : llvm::zip(result.getRoles(), result.getExtents())) {
        all.push_back(static_cast<int>(nest.loops.size()));
        nest.loops.push_back({role.str(), extent, sharding::LoopKind::parallel});
    }
    nest.operands.assign(op->getNumOperands(), all);
    nest.results.assign(op->getNumResults(), all);
    const std::vector<std::string> windows = names_of(op.getWindows());
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const int kernel = static_cast<int>(nest.loops.size());
        nest.loops.push_back({"window " + windows[i], op.getKernels()[i], sharding::LoopKind::whole});
        const WindowNumbers numbers(op, i);
        const auto dimension = static_cast<int>(result.find(windows[i]));
        for (auto [operand, input] : llvm::enumerate(op->getOperands()))
            nest.windows.push_back(
                {static_cast<int>(operand), dimension, kernel,
                 mlir::cast<TensorType>(input.getType()).getExtents()[static_cast<std::size_t>(dimension)],
                 numbers.stride, numbers.dilation, numbers.before, transposed});
    }
    return nest;
}

} // namespace

sharding::Nest PoolOp::nest() {
    return nest_of_pool(*this, isGradient());
}

sharding::Nest MaxPoolOp::nest() {
    return nest_of_pool(*this, false);
}

} // namespace planc::ir
