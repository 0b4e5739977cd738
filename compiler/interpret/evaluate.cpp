#include "interpret/evaluate.h"

#include "interpret/interpret.h"
#include "ir/nest.h"
#include "ir/pointwise.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace planc::interpret {

using planrt::Box;
using planrt::Range;
using sharding::Nest;

namespace {

/// What one point of the nest does: reads one element of each operand, updates one of each result. The results hold
/// their initial value, or what earlier points of a reduced loop left.
using Body = std::function<void(const double *in, double *out, const std::vector<std::int64_t> &index)>;

struct Action {
    double initial = 0;
    Body body;
};

Action reduction(mlir::StringRef name) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (name == "max")
        return {-infinity, [](const double *in, double *out, const auto &) { *out = std::fmax(*out, *in); }};
    if (name == "min")
        return {infinity, [](const double *in, double *out, const auto &) { *out = std::fmin(*out, *in); }};
    return {0, [](const double *in, double *out, const auto &) { *out += *in; }};
}

Action sgd(ir::SgdOp op) {
    const double rate = op.getRate().convertToDouble();
    const double momentum = op.getMomentum().convertToDouble();
    const double decay = op.getWeightDecay().convertToDouble();
    const bool with_velocity = static_cast<bool>(op.getVelocity());
    return {0, [=](const double *in, double *out, const auto &) {
                double change = in[1] + decay * in[0];
                if (with_velocity)
                    out[1] = change = momentum * in[2] + change;
                out[0] = in[0] - rate * change;
            }};
}

// Kingma and Ba 2015, algorithm 1, step t = step + 1.
Action adam(ir::AdamOp op, std::int64_t step) {
    const double rate = op.getRate().convertToDouble();
    const double beta1 = op.getBeta1().convertToDouble();
    const double beta2 = op.getBeta2().convertToDouble();
    const double epsilon = op.getEpsilon().convertToDouble();
    const double decay = op.getWeightDecay().convertToDouble();
    const double bias1 = 1 - std::pow(beta1, static_cast<double>(step + 1));
    const double bias2 = 1 - std::pow(beta2, static_cast<double>(step + 1));
    return {0, [=](const double *in, double *out, const auto &) {
                const double gradient = in[1] + decay * in[0];
                out[1] = beta1 * in[2] + (1 - beta1) * gradient;
                out[2] = beta2 * in[3] + (1 - beta2) * gradient * gradient;
                out[0] = in[0] - rate * (out[1] / bias1) / (std::sqrt(out[2] / bias2) + epsilon);
            }};
}

Action action_of(mlir::Operation *op, std::int64_t step) {
    if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(op)) {
        const ir::PointwiseFunction *function = ir::find_pointwise(pointwise.getFunction());
        return {0, [function](const double *in, double *out, const auto &) { *out = function->value(in); }};
    }
    if (mlir::isa<ir::PermuteOp>(op))
        return {0, [](const double *in, double *out, const auto &) { *out = *in; }};
    if (mlir::isa<ir::EinsumOp, ir::GemmOp>(op)) {
        return {0, [count = mlir::isa<ir::GemmOp>(op) ? 2 : op->getNumOperands()](const double *in, double *out,
                                                                                  const auto &) {
                    double product = 1;
                    for (unsigned i = 0; i < count; ++i)
                        product *= in[i];
                    *out += product;
                }};
    }
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return reduction(reduce.getReduction());
    if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op))
        return {constant.getValue().convertToDouble(), [](const double *, double *, const auto &) {}};
    if (mlir::isa<ir::IotaOp>(op))
        return {0, [](const double *, double *out, const auto &index) { *out = static_cast<double>(index[0]); }};
    if (auto update = mlir::dyn_cast<ir::SgdOp>(op))
        return sgd(update);
    if (auto update = mlir::dyn_cast<ir::AdamOp>(op))
        return adam(update, step);
    throw Failure("the interpreter does not know " + op->getName().getStringRef().str());
}

std::vector<int> numbers(std::int64_t first, std::int64_t count) {
    std::vector<int> list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), static_cast<int>(first));
    return list;
}

std::vector<int> operator+(std::vector<int> a, const std::vector<int> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// Loops: batch, rows, columns, summed.
Nest gemm_nest(ir::GemmOp op) {
    const std::vector<int> batch = numbers(0, op.getBatch());
    const std::vector<int> rows = numbers(op.getBatch(), op.getRows());
    const std::vector<int> columns = numbers(op.getBatch() + op.getRows(), op.getColumns());
    const std::vector<int> summed = numbers(op.getBatch() + op.getRows() + op.getColumns(), op.getSummed());
    Nest nest;
    for (const int loop : batch + rows + columns + summed)
        nest.loops.push_back({std::to_string(loop), 0, sharding::LoopKind::parallel});
    nest.operands = {batch + (op.getTransposeA() ? summed + rows : rows + summed),
                     batch + (op.getTransposeB() ? columns + summed : summed + columns)};
    nest.results = {batch + rows + columns};
    if (op.getAccumulator())
        nest.operands.push_back(nest.results[0]);
    return nest;
}

Nest permute_nest(ir::PermuteOp op) {
    Nest nest;
    nest.operands.resize(1);
    nest.results.resize(1);
    for (mlir::StringAttr role : op.getOperand().getType().getRoles()) {
        nest.operands[0].push_back(static_cast<int>(nest.loops.size()));
        nest.loops.push_back({role.str(), 0, sharding::LoopKind::parallel});
    }
    for (mlir::StringAttr role : op.getResult().getType().getRoles())
        nest.results[0].push_back(static_cast<int>(op.getOperand().getType().find(role)));
    return nest;
}

Nest nest_of(mlir::Operation *op) {
    if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
        return gemm_nest(gemm);
    if (auto permute = mlir::dyn_cast<ir::PermuteOp>(op))
        return permute_nest(permute);
    return ir::nest_of(op);
}

std::string text(Range range) {
    return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

/// The range that every loop runs over on this rank.
class Ranges {
  public:
    explicit Ranges(const Nest &nest) : nest_(nest), ranges_(nest.loops.size()) {}

    void add(const std::vector<int> &loops, const Box &box) {
        for (std::size_t d = 0; d < loops.size(); ++d) {
            auto &known = ranges_[static_cast<std::size_t>(loops[d])];
            if (known && (known->size() != box[d].size() || (known->size() > 0 && !(*known == box[d]))))
                throw Failure("loop '" + nest_.loops[static_cast<std::size_t>(loops[d])].name + "' runs over " +
                              text(*known) + " for one tensor and over " + text(box[d]) + " for another");
            known = box[d];
        }
    }

    [[nodiscard]] Box all() const {
        Box box;
        for (const auto &range : ranges_)
            box.push_back(range.value());
        return box;
    }

  private:
    const Nest &nest_;
    std::vector<std::optional<Range>> ranges_;
};

/// Step in a tensor's elements per step of each loop.
std::vector<std::int64_t> strides(const std::vector<int> &loops, const Box &box, std::size_t all_loops) {
    std::vector<std::int64_t> result(all_loops, 0);
    std::int64_t stride = 1;
    for (std::size_t d = loops.size(); d-- > 0;) {
        result[static_cast<std::size_t>(loops[d])] = stride;
        stride *= box[d].size();
    }
    return result;
}

/// Walks the points of a space, the last loop fastest, and knows the element of each tensor that belongs to the point.
class Walk {
  public:
    Walk(const Box &space, std::vector<std::vector<std::int64_t>> steps)
        : space_(space), steps_(std::move(steps)), at_(steps_.size(), 0) {
        for (const Range &range : space)
            index_.push_back(range.begin);
    }

    [[nodiscard]] const std::vector<std::int64_t> &index() const { return index_; }
    [[nodiscard]] std::size_t at(std::size_t tensor) const { return static_cast<std::size_t>(at_[tensor]); }

    void next() {
        for (std::size_t loop = space_.size(); loop-- > 0;) {
            if (++index_[loop] < space_[loop].end)
                return move(loop, 1);
            index_[loop] = space_[loop].begin;
            move(loop, 1 - space_[loop].size());
        }
    }

  private:
    void move(std::size_t loop, std::int64_t by) {
        for (std::size_t tensor = 0; tensor < at_.size(); ++tensor)
            at_[tensor] += steps_[tensor][loop] * by;
    }

    const Box &space_;
    std::vector<std::vector<std::int64_t>> steps_; ///< per tensor and loop
    std::vector<std::int64_t> index_;
    std::vector<std::int64_t> at_;
};

/// Runs the body over all points.
void run(const Box &space, const Action &action, const std::vector<const Local *> &operands,
         std::vector<Local> &results, const Nest &nest) {
    std::vector<std::vector<std::int64_t>> steps;
    for (std::size_t i = 0; i < operands.size(); ++i)
        steps.push_back(strides(nest.operands[i], operands[i]->box, space.size()));
    for (std::size_t i = 0; i < results.size(); ++i)
        steps.push_back(strides(nest.results[i], results[i].box, space.size()));
    Walk walk(space, std::move(steps));
    std::vector<double> in(operands.size());
    std::vector<double> out(results.size());
    const std::int64_t points = planrt::volume(space);
    for (std::int64_t point = 0; point < points; ++point, walk.next()) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            in[i] = operands[i]->elements[walk.at(i)];
        for (std::size_t i = 0; i < results.size(); ++i)
            out[i] = results[i].elements[walk.at(operands.size() + i)];
        action.body(in.data(), out.data(), walk.index());
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].elements[walk.at(operands.size() + i)] = out[i];
    }
}

} // namespace

std::vector<Local> evaluate(mlir::Operation *op, const std::vector<const Local *> &operands,
                            const std::vector<Box> &boxes, std::int64_t step) {
    const Action action = action_of(op, step);
    const Nest nest = nest_of(op);
    std::vector<Local> results;
    for (const Box &box : boxes)
        results.emplace_back(box, action.initial);
    Ranges ranges(nest);
    for (std::size_t i = 0; i < operands.size(); ++i)
        ranges.add(nest.operands[i], operands[i]->box);
    for (std::size_t i = 0; i < results.size(); ++i)
        ranges.add(nest.results[i], results[i].box);
    run(ranges.all(), action, operands, results, nest);
    if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op); gemm && gemm.getAccumulator())
        for (std::size_t i = 0; i < results[0].elements.size(); ++i)
            results[0].elements[i] += operands[2]->elements[i];
    return results;
}

} // namespace planc::interpret
