#include "interpret/kernels.h"

#include "ir/nest.h"
#include "ir/plan_dialect.h"
#include "ir/pointwise.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace planc::interpret {

namespace {

using Point = std::vector<std::int64_t>;

/// The local ranges of a nest's loops: every tensor that has a loop must agree on it.
class Ranges {
  public:
    Ranges(const sharding::Nest &nest, const KernelCall &call) : nest_(nest), known_(nest.loops.size()) {
        for (std::size_t i = 0; i < call.results.size(); ++i)
            add(nest.results[i], call.results[i], "result " + std::to_string(i));
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            add(nest.operands[i], call.operands[i]->box, "operand " + std::to_string(i));
    }

    [[nodiscard]] const std::string &error() const { return error_; }
    [[nodiscard]] planrt::Box box() const {
        planrt::Box box;
        for (std::size_t loop = 0; loop < known_.size(); ++loop)
            box.push_back(known_[loop].value_or(planrt::Range{0, nest_.loops[loop].extent}));
        return box;
    }

  private:
    void add(const std::vector<int> &loops, const planrt::Box &box, const std::string &who) {
        for (std::size_t d = 0; d < loops.size(); ++d) {
            std::optional<planrt::Range> &range = known_[static_cast<std::size_t>(loops[d])];
            if (!range)
                range = box[d];
            else if (*range != box[d] && (range->size() > 0 || box[d].size() > 0))
                error_ =
                    who + " lies elsewhere along loop '" + nest_.loops[static_cast<std::size_t>(loops[d])].name + "'";
        }
    }

    const sharding::Nest &nest_;
    std::vector<std::optional<planrt::Range>> known_;
    std::string error_;
};

Point project(const Point &point, const std::vector<int> &loops) {
    Point result;
    for (int loop : loops)
        result.push_back(point[static_cast<std::size_t>(loop)]);
    return result;
}

/// Evaluates one point: operands' elements in, results' elements in and out (reductions accumulate).
using Body = std::function<void(const double *operands, double *results, const Point &point)>;

double neutral(mlir::Operation *op) {
    auto reduce = mlir::dyn_cast<ir::ReduceOp>(op);
    if (!reduce || reduce.getReduction() == "sum")
        return 0;
    const double infinity = std::numeric_limits<double>::infinity();
    return reduce.getReduction() == "max" ? -infinity : infinity;
}

Body reduce_body(ir::ReduceOp op) {
    if (op.getReduction() == "sum")
        return [](const double *x, double *y, const Point &) { y[0] += x[0]; };
    if (op.getReduction() == "max")
        return [](const double *x, double *y, const Point &) { y[0] = std::fmax(y[0], x[0]); };
    return [](const double *x, double *y, const Point &) { y[0] = std::fmin(y[0], x[0]); };
}

/// PyTorch's form: g + decay w; v = momentum v + g; w - rate v.
Body sgd_body(ir::SgdOp op) {
    const double rate = op.getRate().convertToDouble();
    const double momentum = op.getMomentum().convertToDouble();
    const double decay = op.getWeightDecay().convertToDouble();
    const bool has_velocity = static_cast<bool>(op.getVelocity());
    return [=](const double *x, double *y, const Point &) {
        const double gradient = x[1] + decay * x[0];
        const double velocity = has_velocity ? momentum * x[2] + gradient : gradient;
        y[0] = x[0] - rate * velocity;
        if (has_velocity)
            y[1] = velocity;
    };
}

/// Kingma and Ba 2015, algorithm 1.
Body adam_body(ir::AdamOp op, std::int64_t step) {
    const double rate = op.getRate().convertToDouble();
    const double beta1 = op.getBeta1().convertToDouble();
    const double beta2 = op.getBeta2().convertToDouble();
    const double epsilon = op.getEpsilon().convertToDouble();
    const double decay = op.getWeightDecay().convertToDouble();
    const double correction1 = 1 - std::pow(beta1, static_cast<double>(step + 1));
    const double correction2 = 1 - std::pow(beta2, static_cast<double>(step + 1));
    return [=](const double *x, double *y, const Point &) {
        const double gradient = x[1] + decay * x[0];
        y[1] = beta1 * x[2] + (1 - beta1) * gradient;
        y[2] = beta2 * x[3] + (1 - beta2) * gradient * gradient;
        y[0] = x[0] - rate * (y[1] / correction1) / (std::sqrt(y[2] / correction2) + epsilon);
    };
}

Body body_of(mlir::Operation *op, std::int64_t step) {
    if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op)) {
        const double value = constant.getValue().convertToDouble();
        return [=](const double *, double *y, const Point &) { y[0] = value; };
    }
    if (mlir::isa<ir::IotaOp>(op))
        return [](const double *, double *y, const Point &point) { y[0] = static_cast<double>(point[0]); };
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op)) {
        const auto value = ir::find_pointwise(pointwise.getFunction())->value;
        return [=](const double *x, double *y, const Point &) { y[0] = value(x); };
    }
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return reduce_body(reduce);
    if (auto sgd = mlir::dyn_cast<ir::SgdOp>(op))
        return sgd_body(sgd);
    if (auto adam = mlir::dyn_cast<ir::AdamOp>(op))
        return adam_body(adam, step);
    const std::size_t factors = op->getNumOperands();
    return [=](const double *x, double *y, const Point &) {
        double product = 1;
        for (std::size_t i = 0; i < factors; ++i)
            product *= x[i];
        y[0] += product;
    };
}

} // namespace

std::vector<Block> compute(const KernelCall &call, std::string &error) {
    const sharding::Nest nest = ir::nest_of(call.operation);
    const Ranges ranges(nest, call);
    if (!ranges.error().empty()) {
        error = ranges.error();
        return {};
    }
    std::vector<Block> results;
    for (const planrt::Box &box : call.results)
        results.push_back(make_block(box, neutral(call.operation)));
    const Body body = body_of(call.operation, call.step);
    std::array<double, 16> in{};
    std::array<double, 4> out{};
    for_each_point(ranges.box(), [&](const Point &point) {
        for (std::size_t i = 0; i < call.operands.size(); ++i)
            in[i] = call.operands[i]->values[offset(*call.operands[i], project(point, nest.operands[i]))];
        for (std::size_t i = 0; i < results.size(); ++i)
            out[i] = results[i].values[offset(results[i], project(point, nest.results[i]))];
        body(in.data(), out.data(), point);
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].values[offset(results[i], project(point, nest.results[i]))] = out[i];
    });
    return results;
}

} // namespace planc::interpret
