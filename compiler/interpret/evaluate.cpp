#include "interpret/evaluate.h"
#include "interpret/attention.h"
#include "interpret/edges.h"

#include "interpret/moves.h"
#include "interpret/windows.h"
#include "ir/nest.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <planrt/random.h>
#include <planrt/sparse_traffic.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace planc::interpret {

using planrt::Box;
using planrt::Range;
using sharding::Nest;

namespace {

/// The work at one point of the nest: reads one element of each operand and updates one of each result. The results
/// hold their initial value, or what earlier points of a reduced loop left.
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

Action pointwise(ir::PointwiseOp op) {
    const ir::PointwiseFunction *function = ir::find_pointwise(op.getFunction());
    if (op.getResult().getType().getElementType().isInteger())
        return {0, [function](const double *in, double *out, const auto &) { *out = std::trunc(function->value(in)); }};
    return {0, [function](const double *in, double *out, const auto &) { *out = function->value(in); }};
}

Action random(ir::RandomOp op, const Moment &moment) {
    const ir::TensorType type = op.getResult().getType();
    const std::int64_t samples = op.getSamples() ? type.find(*op.getSamples()) : -1;
    const planrt::Key key = planrt::key_of(moment.seed, op.getKey(), moment.step);
    const std::vector<std::int64_t> extents = type.getExtents().vec();
    return {0, [=, first = moment.first_sample](const double *, double *out, const auto &index) {
                std::int64_t element = 0;
                for (std::size_t d = 0; d < extents.size(); ++d)
                    if (static_cast<std::int64_t>(d) != samples)
                        element = element * extents[d] + index[d];
                const std::int64_t sample = samples < 0 ? 0 : first + index[static_cast<std::size_t>(samples)];
                *out = planrt::uniform(key, sample, element);
            }};
}

/// The loop over the table is the last one; only the point at the index counts.
Action embedding(std::size_t loop) {
    return {0, [loop](const double *in, double *out, const auto &index) {
                if (in[0] == static_cast<double>(index[loop]))
                    *out += in[1];
            }};
}

/// The row-major number of the element within the windows, over the kernel loops, which are the last ones.
std::int64_t number_in_window(const std::vector<std::int64_t> &index, const std::vector<std::int64_t> &kernels) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        number = number * kernels[i] + index[index.size() - kernels.size() + i];
    return number;
}

/// Points come window by window, so it suffices to remember the argmax of the current one (the first of equal maxima).
Action argmax(const std::vector<std::int64_t> &kernels) {
    return {-1, [kernels, largest = 0.0](const double *in, double *out, const auto &index) mutable {
                if (*out >= 0 && !(*in > largest))
                    return;
                largest = *in;
                *out = static_cast<double>(number_in_window(index, kernels));
            }};
}

/// The maximum and its argmax.
Action max_pool(ir::MaxPoolOp op) {
    return {-1, [kernels = op.getKernels().vec()](const double *in, double *out, const auto &index) {
                if (out[1] >= 0 && !(*in > out[0]))
                    return;
                out[0] = *in;
                out[1] = static_cast<double>(number_in_window(index, kernels));
            }};
}

Action pool(ir::PoolOp op) {
    const std::vector<std::int64_t> kernels = op.getKernels().vec();
    if (op.getKind() == "argmax")
        return argmax(kernels);
    if (op.getKind() == "max_gradient")
        return {0, [kernels](const double *in, double *out, const auto &index) {
                    if (in[1] == static_cast<double>(number_in_window(index, kernels)))
                        *out += in[0];
                }};
    return reduction(op.getKind() == "max" ? "max" : "sum");
}

/// The elements of a square matrix, each with the factor of its row; 0 where the other half has them.
std::vector<double> entries_of_half(ir::SpmmOp op, const std::vector<double> &elements,
                                    const std::vector<double> &factors) {
    const std::size_t extent = factors.size();
    planrt::Pattern matrix;
    matrix.rows = matrix.columns = static_cast<std::int64_t>(extent);
    for (std::size_t row = 0; row < extent; ++row) {
        for (std::size_t column = 0; column < extent; ++column)
            if (const double a = elements[row * extent + column]; a != 0) {
                matrix.column.push_back(static_cast<std::int32_t>(column));
                matrix.values.push_back(a * factors[row]);
            }
        matrix.row_begin.push_back(static_cast<std::int64_t>(matrix.column.size()));
    }
    const planrt::Cuts cuts = planrt::equal_cuts(matrix.rows, static_cast<int>(op.getParts()));
    const planrt::Halves halves = planrt::halves_by_cover(matrix, cuts);
    const planrt::Pattern &half = op.getSent() ? halves.sent : halves.fetched;
    std::vector<double> result(elements.size(), 0);
    for (std::int64_t row = 0; row < half.rows; ++row)
        for (std::int64_t i = half.row_begin[row]; i < half.row_begin[row + 1]; ++i)
            result[static_cast<std::size_t>(row * half.columns + half.column[i])] = half.value_of(i);
    return result;
}

Action spmm(ir::SpmmOp op, const Moment &moment) {
    const auto matrix = moment.matrices->find(op.getMatrix().str());
    const ir::MatrixLoops names = op.matrixLoops();
    const Nest nest = ir::nest_of(op);
    const auto loop = [&](const std::string &name) {
        return static_cast<std::size_t>(std::ranges::find(nest.loops, name, &sharding::Loop::name) -
                                        nest.loops.begin());
    };
    const std::size_t row = loop(names.transposed ? names.summed : names.kept);
    const std::size_t column = loop(names.transposed ? names.kept : names.summed);
    if (matrix == moment.matrices->end() ||
        matrix->second.extents != std::vector{nest.loops[row].extent, nest.loops[column].extent})
        throw Failure("there is no matrix '" + op.getMatrix().str() + "' of this size");
    const std::vector<double> &elements = matrix->second.elements;
    const auto columns = static_cast<std::size_t>(nest.loops[column].extent);
    std::vector<double> factors(static_cast<std::size_t>(nest.loops[row].extent), 1); // by row
    for (std::size_t r = 0; r < factors.size() && op.getMean(); ++r) {
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(r * columns);
        const auto zeros = std::count(begin, begin + static_cast<std::ptrdiff_t>(columns), 0.0);
        factors[r] = 1 / std::max(1.0, static_cast<double>(columns) - static_cast<double>(zeros));
    }
    if (op.isHalf()) {
        const std::vector<double> half = entries_of_half(op, elements, factors);
        return {0, [=](const double *in, double *out, const auto &index) {
                    const double a =
                        half[static_cast<std::size_t>(index[row]) * columns + static_cast<std::size_t>(index[column])];
                    *out += a == 0 ? 0 : a * *in;
                }};
    }
    return {0, [=, &elements](const double *in, double *out, const auto &index) {
                const auto r = static_cast<std::size_t>(index[row]);
                const double a = elements[r * columns + static_cast<std::size_t>(index[column])];
                *out += a == 0 ? 0 : a * factors[r] * *in;
            }};
}

Action entries(ir::EdgesOp op, const Moment &moment) {
    const Array &matrix = moment.matrices->at(op.getMatrix().str());
    return {0, [&matrix, ones = op.getOnes()](const double *, double *out, const auto &index) {
                const double a = matrix.elements[static_cast<std::size_t>(index[0] * matrix.extents[1] + index[1])];
                *out = ones && a != 0 ? 1 : a;
            }};
}

Action action_of(mlir::Operation *op, const Moment &moment) {
    if (auto function = mlir::dyn_cast<ir::PointwiseOp>(op))
        return pointwise(function);
    if (auto numbers = mlir::dyn_cast<ir::RandomOp>(op))
        return random(numbers, moment);
    if (mlir::isa<ir::StepOp>(op))
        return {static_cast<double>(moment.step), [](const double *, double *, const auto &) {}};
    if (mlir::isa<ir::EmbeddingOp, ir::EmbeddingGradientOp>(op))
        return embedding(ir::nest_of(op).loops.size() - 1);
    if (mlir::isa<ir::PermuteOp, ir::PackOp, ir::UnpackOp, ir::AccumulateOp>(op))
        return {0, [](const double *in, double *out, const auto &) { *out = *in; }};
    if (mlir::isa<ir::EinsumOp, ir::GemmOp, ir::ConvOp>(op)) {
        return {0, [count = mlir::isa<ir::GemmOp, ir::ConvOp>(op) ? 2 : op->getNumOperands()](
                       const double *in, double *out, const auto &) {
                    double product = 1;
                    for (unsigned i = 0; i < count; ++i)
                        product *= in[i];
                    *out += product;
                }};
    }
    if (auto product = mlir::dyn_cast<ir::SpmmOp>(op))
        return spmm(product, moment);
    if (auto edges = mlir::dyn_cast<ir::EdgesOp>(op))
        return entries(edges, moment);
    if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op))
        return reduction(reduce.getReduction());
    if (auto windows = mlir::dyn_cast<ir::PoolOp>(op))
        return pool(windows);
    if (auto both = mlir::dyn_cast<ir::MaxPoolOp>(op))
        return max_pool(both);
    if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op))
        return {constant.getValue().convertToDouble(), [](const double *, double *, const auto &) {}};
    if (mlir::isa<ir::IotaOp>(op))
        return {0, [](const double *, double *out, const auto &index) { *out = static_cast<double>(index[0]); }};
    throw Failure("the interpreter does not know " + op->getName().getStringRef().str());
}

/// The factor of the accumulator.
double beta_of(mlir::Operation *op) {
    auto gemm = mlir::dyn_cast<ir::GemmOp>(op);
    return gemm && gemm.getBeta() ? gemm.getBeta()->convertToDouble() : 1;
}

Nest gemm_nest(ir::GemmOp op) {
    const auto subscripts = *ir::parse_subscripts(op.getSubscripts());
    const std::vector<std::string> loops = subscripts.loops();
    const auto numbers = [&](const std::vector<std::string> &names) {
        std::vector<int> list;
        for (const std::string &name : names)
            list.push_back(static_cast<int>(std::find(loops.begin(), loops.end(), name) - loops.begin()));
        return list;
    };
    Nest nest;
    for (const std::string &loop : loops)
        nest.loops.push_back({loop, 0, sharding::LoopKind::parallel});
    nest.operands = {numbers(subscripts.operands[0]), numbers(subscripts.operands[1])};
    nest.results = {numbers(subscripts.result)};
    if (op.getAccumulator())
        nest.operands.push_back(nest.results[0]);
    return nest;
}

/// For operations that keep the elements and their roles: permutations, formats of weights.
Nest permute_nest(mlir::Operation *op) {
    const ir::TensorType from = mlir::cast<ir::TensorType>(op->getOperand(0).getType());
    Nest nest;
    nest.operands.resize(1);
    nest.results.resize(1);
    for (mlir::StringAttr role : from.getRoles()) {
        nest.operands[0].push_back(static_cast<int>(nest.loops.size()));
        nest.loops.push_back({role.str(), 0, sharding::LoopKind::parallel});
    }
    for (mlir::StringAttr role : mlir::cast<ir::TensorType>(op->getResult(0).getType()).getRoles())
        nest.results[0].push_back(static_cast<int>(from.find(role)));
    return nest;
}

Nest nest_of(mlir::Operation *op) {
    if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
        return gemm_nest(gemm);
    if (mlir::isa<ir::PermuteOp, ir::PackOp, ir::UnpackOp>(op))
        return permute_nest(op);
    return ir::nest_of(op);
}

std::string text(Range range) {
    return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

/// The range that every loop runs over on this rank.
class Ranges {
  public:
    explicit Ranges(const Nest &nest) : nest_(nest), ranges_(nest.loops.size()) {}

    /// `operand`: its number; -1: a result. Dimensions with windows have separate ranges.
    void add(const std::vector<int> &loops, const Box &box, int operand = -1) {
        for (std::size_t d = 0; d < loops.size(); ++d) {
            if (operand >= 0 && nest_.window(static_cast<std::size_t>(operand), d) != nullptr)
                continue;
            auto &known = ranges_[static_cast<std::size_t>(loops[d])];
            if (known && (known->size() != box[d].size() || (known->size() > 0 && !(*known == box[d]))))
                throw Failure("loop '" + nest_.loops[static_cast<std::size_t>(loops[d])].name + "' runs over " +
                              text(*known) + " for one tensor and over " + text(box[d]) + " for another");
            known = box[d];
        }
    }

    [[nodiscard]] Box all() const {
        Box box;
        for (std::size_t i = 0; i < ranges_.size(); ++i) {
            const sharding::Loop &loop = nest_.loops[i];
            box.push_back(ranges_[i].value_or(Range{0, loop.extent})); // in no tensor except under a window
            if (loop.kind == sharding::LoopKind::whole && box.back().size() != loop.extent)
                throw Failure("loop '" + loop.name + "' cannot be split, but runs over " + text(box.back()) + " of " +
                              std::to_string(loop.extent));
        }
        return box;
    }

  private:
    const Nest &nest_;
    std::vector<std::optional<Range>> ranges_;
};

/// Step in a tensor's elements per step of each loop; none in dimensions with windows. `operand` as above.
std::vector<std::int64_t> strides(const Nest &nest, const std::vector<int> &loops, const Box &box, int operand = -1) {
    std::vector<std::int64_t> result(nest.loops.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t d = loops.size(); d-- > 0;) {
        if (operand < 0 || nest.window(static_cast<std::size_t>(operand), d) == nullptr)
            result[static_cast<std::size_t>(loops[d])] = stride;
        stride *= box[d].size();
    }
    return result;
}

/// Visits the points of a space, the last loop fastest, and knows the corresponding element of each tensor.
class Walk {
  public:
    Walk(const Box &space, std::vector<std::vector<std::int64_t>> steps)
        : space_(space), steps_(std::move(steps)), at_(steps_.size(), 0), position_(space.size(), 0) {
        for (const Range &range : space)
            index_.push_back(range.size() > 0 ? range.index(0) : range.begin);
    }

    [[nodiscard]] const std::vector<std::int64_t> &index() const { return index_; }
    [[nodiscard]] std::size_t at(std::size_t tensor) const { return static_cast<std::size_t>(at_[tensor]); }
    [[nodiscard]] const std::vector<std::int64_t> &elements() const { return at_; }

    void next() {
        for (std::size_t loop = space_.size(); loop-- > 0;) {
            if (space_[loop].listed != nullptr) {
                if (++position_[loop] < space_[loop].size()) {
                    index_[loop] = space_[loop].index(position_[loop]);
                    return move(loop, 1);
                }
                position_[loop] = 0;
                index_[loop] = space_[loop].index(0);
                move(loop, 1 - space_[loop].size());
                continue;
            }
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
    std::vector<std::int64_t> position_; ///< in lists of indices
};

/// The tensors of an operation, operands first.
class Tensors {
  public:
    Tensors(const std::vector<const Local *> &operands, std::vector<Local> &results)
        : operands_(operands), results_(results), in_(operands.size()), out_(results.size()) {
        for (const Local *operand : operands)
            any_stored_ |= !operand->is_whole();
        for (const Local &result : results)
            any_stored_ |= !result.is_whole();
    }

    /// Whether this rank holds the elements of the point. Sharded tensors all have theirs, or none has.
    [[nodiscard]] bool has(const Walk &walk) const {
        if (!any_stored_)
            return true;
        std::size_t holders = 0;
        std::size_t shared = 0;
        const auto count = [&](const Local &tensor, std::size_t position) {
            shared += tensor.is_whole() ? 0 : 1;
            holders += !tensor.is_whole() && tensor.has(position) ? 1 : 0;
        };
        for (std::size_t i = 0; i < operands_.size(); ++i)
            count(*operands_[i], walk.at(i));
        for (std::size_t i = 0; i < results_.size(); ++i)
            count(results_[i], walk.at(operands_.size() + i));
        if (holders != 0 && holders != shared)
            throw Failure("tensors that are stored in shares do not hold the same elements");
        return holders != 0;
    }

    void apply(const Action &action, const Walk &walk, const Windows &windows) {
        if (!windows.none()) {
            std::vector<std::int64_t> moved = walk.elements();
            if (!windows.move(walk.index(), moved))
                return;
            for (std::size_t i = 0; i < in_.size(); ++i)
                in_[i] = operands_[i]->at(static_cast<std::size_t>(moved[i]));
        } else {
            for (std::size_t i = 0; i < in_.size(); ++i)
                in_[i] = operands_[i]->at(walk.at(i));
        }
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_[i] = results_[i].at(walk.at(in_.size() + i));
        action.body(in_.data(), out_.data(), walk.index());
        for (std::size_t i = 0; i < out_.size(); ++i)
            results_[i].at(walk.at(in_.size() + i)) = out_[i];
    }

  private:
    const std::vector<const Local *> &operands_;
    std::vector<Local> &results_;
    std::vector<double> in_;
    std::vector<double> out_;
    bool any_stored_ = false;
};

/// Runs the body over all points whose elements this rank holds.
void run(const Box &space, const Action &action, const std::vector<const Local *> &operands,
         std::vector<Local> &results, const Nest &nest, bool in_parts) {
    std::vector<std::vector<std::int64_t>> steps;
    for (std::size_t i = 0; i < operands.size(); ++i)
        steps.push_back(strides(nest, nest.operands[i], operands[i]->box, static_cast<int>(i)));
    for (std::size_t i = 0; i < results.size(); ++i)
        steps.push_back(strides(nest, nest.results[i], results[i].box));
    const Windows windows(nest, space, operands, in_parts);
    Walk walk(space, std::move(steps));
    Tensors tensors(operands, results);
    const std::int64_t points = planrt::volume(space);
    for (std::int64_t point = 0; point < points; ++point, walk.next())
        if (tensors.has(walk))
            tensors.apply(action, walk, windows);
}

} // namespace

void evaluate(mlir::Operation *op, const std::vector<const Local *> &operands, std::vector<Local> &results,
              const Moment &moment) {
    const Nest nest = nest_of(op);
    Ranges ranges(nest);
    for (std::size_t i = 0; i < operands.size(); ++i)
        ranges.add(nest.operands[i], operands[i]->box, static_cast<int>(i));
    for (std::size_t i = 0; i < results.size(); ++i)
        ranges.add(nest.results[i], results[i].box);
    const Box space = ranges.all();
    if (is_move(op))
        return move(op, operands, results[0]);
    if (auto reduce = mlir::dyn_cast<ir::EdgeReduceOp>(op))
        return evaluate_edges(reduce, space, operands, results[0], moment);
    if (auto attention = mlir::dyn_cast<ir::AttentionOp>(op))
        return evaluate_attention(attention, space, operands, results);
    const Action action = action_of(op, moment);
    for (Local &result : results)
        std::fill(result.elements.begin(), result.elements.end(), action.initial);
    if (mlir::isa<ir::MaxPoolOp>(op)) // of an empty window
        std::fill(results[0].elements.begin(), results[0].elements.end(), -std::numeric_limits<double>::infinity());
    auto conv = mlir::dyn_cast<ir::ConvOp>(op);
    run(space, action, operands, results, nest, conv && conv.isPart());
    if (mlir::isa<ir::GemmOp, ir::ConvOp>(op) && operands.size() == 3) // the accumulator
        for (std::size_t i = 0; i < results[0].elements.size(); ++i)
            results[0].elements[i] += beta_of(op) * operands[2]->elements[i];
}

} // namespace planc::interpret
