#include "autodiff/pointwise_gradients.h"

#include <array>

namespace planc::autodiff {

using mlir::StringRef;
using mlir::Value;

namespace {

/// The values that a rule may use: operands x, result y, the gradient g of the result, and functions of them.
struct Terms {
    ir::LayerBuilder &build;
    mlir::ValueRange x;
    Value y;
    Value g;

    [[nodiscard]] Value number(double value) const { return build.constant(value, ir::type_of(y).getElementType()); }
    [[nodiscard]] Value call(StringRef function, std::initializer_list<Value> inputs) const {
        return build.pointwise(function, mlir::ValueRange(mlir::ArrayRef<Value>(inputs)), ir::type_of(y));
    }
    [[nodiscard]] Value add(Value a, Value b) const { return call("add", {a, b}); }
    [[nodiscard]] Value sub(Value a, Value b) const { return call("sub", {a, b}); }
    [[nodiscard]] Value mul(Value a, Value b) const { return call("mul", {a, b}); }
    [[nodiscard]] Value mul(Value a, double b) const { return mul(a, number(b)); }
    [[nodiscard]] Value neg(Value a) const { return call("neg", {a}); }
    /// `yes` where a > b, else `no`
    [[nodiscard]] Value where_greater(Value a, Value b, Value yes, Value no) const {
        return call("select", {call("greater", {a, b}), yes, no});
    }
    /// 1 where a > b, 1/2 where they are equal, else 0: equal values share
    [[nodiscard]] Value share(Value a, Value b) const {
        return mul(add(call("greater", {a, b}), call("greater_equal", {a, b})), 0.5);
    }
};

struct Rule {
    StringRef function;
    unsigned operand;
    Value (*gradient)(const Terms &);
};

// If the result is as useful as the operand, the rule uses the result, so that the operand need not be kept.
constexpr std::array rules{
    Rule{"abs", 0,
         [](const Terms &t) {
             const Value zero = t.number(0);
             return t.sub(t.where_greater(t.x[0], zero, t.g, zero), t.where_greater(zero, t.x[0], t.g, zero));
         }},
    Rule{"add", 0, [](const Terms &t) { return t.g; }},
    Rule{"add", 1, [](const Terms &t) { return t.g; }},
    Rule{"cos", 0, [](const Terms &t) { return t.neg(t.mul(t.g, t.call("sin", {t.x[0]}))); }},
    Rule{"div", 0, [](const Terms &t) { return t.call("div", {t.g, t.x[1]}); }},
    Rule{"div", 1, [](const Terms &t) { return t.neg(t.mul(t.call("div", {t.g, t.x[1]}), t.y)); }},
    // 2 exp(−x²) / √π
    Rule{"erf", 0,
         [](const Terms &t) {
             const Value slope = t.call("exp", {t.neg(t.call("square", {t.x[0]}))});
             return t.mul(t.mul(t.g, slope), 1.12837916709551257390);
         }},
    Rule{"exp", 0, [](const Terms &t) { return t.mul(t.y, t.g); }},
    Rule{"gelu", 0, [](const Terms &t) { return t.mul(t.g, t.call("gelu_slope", {t.x[0]})); }},
    Rule{"identity", 0, [](const Terms &t) { return t.g; }},
    Rule{"log", 0, [](const Terms &t) { return t.call("div", {t.g, t.x[0]}); }},
    Rule{"maximum", 0, [](const Terms &t) { return t.mul(t.g, t.share(t.x[0], t.x[1])); }},
    Rule{"maximum", 1, [](const Terms &t) { return t.mul(t.g, t.share(t.x[1], t.x[0])); }},
    Rule{"minimum", 0, [](const Terms &t) { return t.mul(t.g, t.share(t.x[1], t.x[0])); }},
    Rule{"minimum", 1, [](const Terms &t) { return t.mul(t.g, t.share(t.x[0], t.x[1])); }},
    Rule{"mul", 0, [](const Terms &t) { return t.mul(t.g, t.x[1]); }},
    Rule{"mul", 1, [](const Terms &t) { return t.mul(t.g, t.x[0]); }},
    Rule{"neg", 0, [](const Terms &t) { return t.neg(t.g); }},
    // b · a^(b−1), and 0 if b = 0, even if a = 0
    Rule{"power", 0,
         [](const Terms &t) {
             const Value slope = t.mul(t.call("power", {t.x[0], t.sub(t.x[1], t.number(1))}), t.x[1]);
             return t.mul(t.g, t.call("select", {t.x[1], slope, t.number(0)}));
         }},
    // a^b · log a, and 0 if a is not positive
    Rule{"power", 1,
         [](const Terms &t) {
             const Value slope = t.mul(t.y, t.call("log", {t.x[0]}));
             return t.mul(t.g, t.where_greater(t.x[0], t.number(0), slope, t.number(0)));
         }},
    Rule{"reciprocal", 0, [](const Terms &t) { return t.neg(t.mul(t.g, t.call("square", {t.y}))); }},
    Rule{"relu", 0, [](const Terms &t) { return t.where_greater(t.y, t.number(0), t.g, t.number(0)); }},
    // −½ x^(−3/2)
    Rule{"rsqrt", 0, [](const Terms &t) { return t.mul(t.mul(t.g, t.mul(t.call("square", {t.y}), t.y)), -0.5); }},
    Rule{"select", 1, [](const Terms &t) { return t.call("select", {t.x[0], t.g, t.number(0)}); }},
    Rule{"select", 2, [](const Terms &t) { return t.call("select", {t.x[0], t.number(0), t.g}); }},
    Rule{"sigmoid", 0, [](const Terms &t) { return t.mul(t.g, t.mul(t.y, t.sub(t.number(1), t.y))); }},
    // s (1 + x (1 − s)) = s + y (1 − s) with s = sigmoid(x)
    Rule{"silu", 0,
         [](const Terms &t) {
             const Value s = t.call("sigmoid", {t.x[0]});
             return t.mul(t.g, t.add(s, t.mul(t.y, t.sub(t.number(1), s))));
         }},
    Rule{"sin", 0, [](const Terms &t) { return t.mul(t.g, t.call("cos", {t.x[0]})); }},
    Rule{"softplus", 0, [](const Terms &t) { return t.mul(t.g, t.call("sigmoid", {t.x[0]})); }},
    Rule{"sqrt", 0, [](const Terms &t) { return t.mul(t.call("div", {t.g, t.y}), 0.5); }},
    Rule{"square", 0, [](const Terms &t) { return t.mul(t.mul(t.g, t.x[0]), 2); }},
    Rule{"sub", 0, [](const Terms &t) { return t.g; }},
    Rule{"sub", 1, [](const Terms &t) { return t.neg(t.g); }},
    Rule{"tanh", 0, [](const Terms &t) { return t.mul(t.g, t.sub(t.number(1), t.call("square", {t.y}))); }},
};

const Rule *find(StringRef function, unsigned operand) {
    const auto *at =
        llvm::find_if(rules, [&](const Rule &rule) { return rule.function == function && rule.operand == operand; });
    return at == rules.end() ? nullptr : at;
}

} // namespace

bool has_derivative(StringRef function, unsigned operand) {
    return find(function, operand) != nullptr;
}

Value pointwise_gradient(ir::LayerBuilder &build, ir::PointwiseOp op, unsigned operand, Value gradient) {
    const Terms terms{build, op.getInputs(), op.getResult(), gradient};
    return find(op.getFunction(), operand)->gradient(terms);
}

} // namespace planc::autodiff
