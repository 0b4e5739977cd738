#include "autodiff/ratio.h"

#include "ir/plan_dialect.h"

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::type_of;
using mlir::StringRef;
using mlir::Value;

bool Dependence::of_data(mlir::Operation *op) {
    return op == nullptr || mlir::isa<ir::SpmmOp, ir::EdgesOp, ir::RandomOp>(op);
}

bool Dependence::of_parameters(mlir::Operation *op) {
    return op != nullptr && mlir::isa<ir::ReadOp>(op);
}

bool Dependence::found(Value value, Known &known, bool (*begins)(mlir::Operation *)) {
    mlir::Operation *op = value.getDefiningOp();
    if (begins(op))
        return true;
    if (op == nullptr)
        return false;
    const auto [place, fresh] = known.try_emplace(op, false);
    if (!fresh)
        return place->second;
    const bool any = llvm::any_of(op->getOperands(), [&](Value operand) { return found(operand, known, begins); });
    known[op] = any;
    return any;
}

namespace {

/// Pairs of values -> whether both are computed in the same way from the same values.
using KnownPairs = llvm::DenseMap<std::pair<Value, Value>, bool>;

bool are_equal(Value a, Value b, KnownPairs &known) {
    if (a == b)
        return true;
    if (const auto before = known.find({a, b}); before != known.end())
        return before->second;
    mlir::Operation *one = a.getDefiningOp();
    mlir::Operation *other = b.getDefiningOp();
    const bool equal = one != nullptr && other != nullptr && one->getName() == other->getName() &&
                       one->getAttrDictionary() == other->getAttrDictionary() && a.getType() == b.getType() &&
                       one->getNumOperands() == other->getNumOperands() &&
                       llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()), [&known](auto pair) {
                           return are_equal(std::get<0>(pair), std::get<1>(pair), known);
                       });
    known[{a, b}] = equal;
    return equal;
}

class Splitting {
  public:
    explicit Splitting(LayerBuilder &build) : build_(build) {}

    std::optional<Ratio> split(Value loss) {
        auto op = loss.getDefiningOp<ir::PointwiseOp>();
        if (!op)
            return {};
        const StringRef function = op.getFunction();
        const Value first = op.getInputs()[0];
        const Value second = op.getInputs().size() > 1 ? op.getInputs()[1] : Value();
        if (function == "div" && depends_.on_data(second))
            return depends_.on_parameters(second) ? std::nullopt : std::optional(Ratio{first, second});
        if (function == "neg" || function == "identity")
            return with(split(first), [&](Value numerator) { return again(op, {numerator}); });
        if (function == "div" || (function == "mul" && !depends_.on_data(second)))
            return with(split(first), [&](Value numerator) { return again(op, {numerator, second}); });
        if (function == "mul" && !depends_.on_data(first))
            return with(split(second), [&](Value numerator) { return again(op, {first, numerator}); });
        if (function == "add" || function == "sub")
            return sum(op, first, second);
        return {};
    }

  private:
    template <class Function> static std::optional<Ratio> with(std::optional<Ratio> ratio, Function change) {
        if (ratio)
            ratio->numerator = change(ratio->numerator);
        return ratio;
    }

    std::optional<Ratio> sum(ir::PointwiseOp op, Value first, Value second) {
        const std::optional<Ratio> left = split(first);
        const std::optional<Ratio> right = split(second);
        if (!left && !right)
            return {};
        if (left && right && !are_equal(left->denominator, right->denominator, known_))
            return {};
        const Value denominator = left ? left->denominator : right->denominator;
        const auto numerator = [&](const std::optional<Ratio> &ratio, Value term) {
            if (ratio)
                return ratio->numerator;
            return depends_.on_data(term) ? Value()
                                          : build_.pointwise("mul", {denominator, term}, type_of(denominator));
        };
        const Value a = numerator(left, first);
        const Value b = numerator(right, second);
        return a && b ? std::optional(Ratio{again(op, {a, b}), denominator}) : std::nullopt;
    }

    Value again(ir::PointwiseOp op, mlir::ArrayRef<Value> operands) {
        return build_.pointwise(op.getFunction(), operands, op.getResult().getType());
    }

    LayerBuilder &build_;
    Dependence depends_;
    KnownPairs known_;
};

} // namespace

std::optional<Ratio> as_ratio(LayerBuilder &build, Value loss) {
    return Splitting(build).split(loss);
}

} // namespace planc::autodiff
