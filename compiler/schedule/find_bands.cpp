// Finds masks whose condition compares two indices, as in causal attention, and the products in which they discard half
// of the result or of an operand:
//
//   result: every use ends in select(key <= query, …, other), or is multiplied by what is zero outside
//   operand: select(key <= query, …, 0), a softmax of select(key <= query, …, -1e30), and products with those
//
// Outside the band, the product writes zeros, so that results computed from them are still numbers.

#include "schedule/band.h"
#include "schedule/functions.h"
#include "schedule/loop_nest.h"
#include "schedule/passes.h"

#include "ir/nest.h"
#include "ir/subscripts.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

namespace planc::schedule {

namespace {

using ir::PointwiseOp;
using mlir::StringRef;
using mlir::Value;

/// The elements that a mask keeps, by dimensions.
struct Triangle {
    std::string lesser;
    std::string greater;
    bool strict = false;
    friend bool operator==(const Triangle &, const Triangle &) = default;
};

/// Masks set scores to at most this: their exponentials are zero compared with any other of the row.
constexpr double minus_infinity = -1e30;
/// The maximum number of operations from a product to the mask that determines what is needed of it; the gradient of a
/// softmax has three.
constexpr int most_steps = 8;

PointwiseOp pointwise(Value value, StringRef function) {
    auto op = value.getDefiningOp<PointwiseOp>();
    return op && op.getFunction() == function ? op : PointwiseOp();
}

std::optional<std::string> dimension_of_iota(Value value) {
    auto iota = value.getDefiningOp<ir::IotaOp>();
    return iota ? std::optional(iota.getResult().getType().getRoles().front().str()) : std::nullopt;
}

std::optional<Triangle> triangle_of(Value condition) {
    auto op = condition.getDefiningOp<PointwiseOp>();
    if (!op || op.getInputs().size() != 2)
        return std::nullopt;
    const auto first = dimension_of_iota(op.getInputs()[0]);
    const auto second = dimension_of_iota(op.getInputs()[1]);
    const StringRef function = op.getFunction();
    if (!first || !second || *first == *second)
        return std::nullopt;
    if (function == "less" || function == "less_equal")
        return Triangle{*first, *second, function == "less"};
    if (function == "greater" || function == "greater_equal")
        return Triangle{*second, *first, function == "greater"};
    return std::nullopt;
}

/// select(triangle, x, other)
PointwiseOp mask(Value value, const Triangle &triangle) {
    auto select = pointwise(value, "select");
    return select && triangle_of(select.getInputs()[0]) == triangle ? select : PointwiseOp();
}

/// The operand with which a completed collective was started.
Value started(Value value) {
    auto wait = value.getDefiningOp<ir::WaitOp>();
    if (!wait)
        return value;
    const Value pending = wait.getPending()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
    auto start = pending.getDefiningOp<ir::StartOp>();
    return start ? start.getInputs()[mlir::cast<mlir::OpResult>(pending).getResultNumber()] : value;
}

/// Whether every row over which `reduce` runs has an element within the triangle. The least index of one dimension, or
/// the largest of the other, must be within it for all indices of the other dimension.
bool reaches_all(ir::ReduceOp reduce, const Triangle &triangle) {
    const ir::TensorType type = tensor(reduce.getOperand());
    const auto is_reduced = [&](const std::string &role) { return tensor(reduce.getResult()).find(role) < 0; };
    const auto extent = [&](const std::string &role) {
        return type.getExtents()[static_cast<size_t>(type.find(role))];
    };
    return (is_reduced(triangle.lesser) && !triangle.strict) ||
           (is_reduced(triangle.greater) &&
            extent(triangle.greater) >= extent(triangle.lesser) + (triangle.strict ? 1 : 0));
}

/// The result of a mask, possibly less the row maxima, if every row has an element that the mask keeps.
bool is_minus_infinity_outside(Value value, const Triangle &triangle) {
    if (auto shifted = pointwise(value, "sub")) {
        value = shifted.getInputs()[0];
        auto maximum = started(shifted.getInputs()[1]).getDefiningOp<ir::ReduceOp>();
        if (!maximum || maximum.getReduction() != "max" || maximum.getOperand() != value || !mask(value, triangle) ||
            !reaches_all(maximum, triangle))
            return false;
    }
    auto select = mask(value, triangle);
    const auto other = select ? ir::constant_value(select.getInputs()[2]) : std::nullopt;
    return other && *other <= minus_infinity;
}

bool is_zero_outside(Value value, const Triangle &triangle, int steps = 0) {
    auto op = value.getDefiningOp<PointwiseOp>();
    if (!op || steps == most_steps)
        return false;
    const auto is_zero = [&](Value operand) { return is_zero_outside(operand, triangle, steps + 1); };
    const StringRef function = op.getFunction();
    if (auto select = mask(value, triangle))
        return ir::constant_value(select.getInputs()[2]) == 0.0 || is_zero(select.getInputs()[2]);
    if (function == "mul")
        return llvm::any_of(op.getInputs(), is_zero);
    if (function == "add" || function == "sub")
        return llvm::all_of(op.getInputs(), is_zero);
    if (function == "div" || function == "neg" || function == "identity")
        return is_zero(op.getInputs()[0]);
    return function == "exp" && is_minus_infinity_outside(op.getInputs()[0], triangle);
}

bool is_needed_within(Value value, const Triangle &triangle, int steps = 0) {
    if (steps == most_steps || value.use_empty())
        return false;
    return llvm::all_of(value.getUses(), [&](mlir::OpOperand &use) {
        auto op = mlir::dyn_cast<PointwiseOp>(use.getOwner());
        if (!op)
            return false;
        const StringRef function = op.getFunction();
        const unsigned number = use.getOperandNumber();
        if (mask(op.getResult(), triangle))
            return number == 1;
        if (function == "mul" && is_zero_outside(op.getInputs()[1 - number], triangle))
            return true;
        const bool keeps_numbers = function == "mul" || function == "add" || function == "sub" || function == "neg" ||
                                   function == "identity" || (function == "div" && number == 0);
        return keeps_numbers && is_needed_within(op.getResult(), triangle, steps + 1);
    });
}

/// The loops of an operand or of the result, if it has both dimensions, each one whole or cut into blocks.
std::optional<Band> loops_of(StringRef matrix, Value value, const std::vector<std::string> &loops,
                             const Triangle &triangle) {
    Band band{matrix.str(), "", "", triangle.strict};
    for (auto [loop, dimension] : llvm::zip(loops, dimensions_of(tensor(value)))) {
        if (dimension.window)
            continue;
        if (dimension.role == triangle.lesser)
            band.lesser = loop;
        if (dimension.role == triangle.greater)
            band.greater = loop;
    }
    return band.lesser.empty() || band.greater.empty() ? std::nullopt : std::optional(band);
}

std::optional<Band> find(ir::GemmOp gemm, const Triangle &triangle) {
    const auto subscripts = ir::parse_subscripts(gemm.getSubscripts());
    if (!gemm.getAccumulator())
        if (const auto band = loops_of("result", gemm.getResult(), subscripts->result, triangle))
            if (is_needed_within(gemm.getResult(), triangle))
                return band;
    const std::array<std::pair<StringRef, Value>, 2> operands{{{"a", gemm.getA()}, {"b", gemm.getB()}}};
    for (const auto &[number, operand] : llvm::enumerate(operands))
        if (const auto band = loops_of(operand.first, operand.second, subscripts->operands[number], triangle))
            if (is_zero_outside(operand.second, triangle))
                return band;
    return std::nullopt;
}

struct FindBands : mlir::PassWrapper<FindBands, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FindBands)

    llvm::StringRef getArgument() const override { return "find-bands"; }
    llvm::StringRef getDescription() const override { return "Find the products that masks make half of needless"; }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        std::vector<Triangle> triangles;
        for (auto op : function.getOps<PointwiseOp>())
            if (const auto triangle = op.getFunction() == "select" ? triangle_of(op.getInputs()[0]) : std::nullopt)
                if (!llvm::is_contained(triangles, *triangle))
                    triangles.push_back(*triangle);
        if (triangles.empty())
            return mlir::success();
        for (auto gemm : function.getOps<ir::GemmOp>())
            for (const Triangle &triangle : triangles)
                if (const auto band = find(gemm, triangle)) {
                    set_band(gemm, *band);
                    break;
                }
        return mlir::success();
    }
};

} // namespace

std::optional<Band> band_of(ir::GemmOp gemm) {
    const auto band = gemm->getAttrOfType<mlir::DictionaryAttr>("band");
    if (!band)
        return std::nullopt;
    const auto text = [&](StringRef name) { return band.getAs<mlir::StringAttr>(name).str(); };
    return Band{text("matrix"), text("lesser"), text("greater"), band.contains("strict")};
}

void set_band(ir::GemmOp gemm, const Band &band) {
    mlir::Builder builder(gemm.getContext());
    llvm::SmallVector<mlir::NamedAttribute> parts{builder.getNamedAttr("matrix", builder.getStringAttr(band.matrix)),
                                                  builder.getNamedAttr("lesser", builder.getStringAttr(band.lesser)),
                                                  builder.getNamedAttr("greater", builder.getStringAttr(band.greater))};
    if (band.strict)
        parts.push_back(builder.getNamedAttr("strict", builder.getUnitAttr()));
    gemm->setAttr("band", builder.getDictionaryAttr(parts));
}

std::unique_ptr<mlir::Pass> find_bands() {
    return std::make_unique<FindBands>();
}

} // namespace planc::schedule
