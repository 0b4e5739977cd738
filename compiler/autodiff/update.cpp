#include "autodiff/update.h"

#include "autodiff/learning_rate.h"
#include "autodiff/order_updates.h"
#include "ir/entry_functions.h"
#include "ir/optimizer_attribute.h"
#include "ir/pipeline_attribute.h"
#include "pipeline/weights.h"

#include "mlir/IR/SymbolTable.h"

#include <map>
#include <optional>

namespace planc::autodiff {

using mlir::FlatSymbolRefAttr;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::Value;
using sema::Optimizer;

namespace {

/// The optimizer's settings for one parameter.
struct Settings {
    double weight_decay = 0;
    double rate_factor = 1;
    bool adapt = true; ///< LARS, LAMB: use the trust ratio

    Settings(const Optimizer &optimizer, ir::VariableOp variable) : weight_decay(optimizer.weight_decay) {
        if (const auto own = variable->getAttrOfType<mlir::FloatAttr>("weight_decay"))
            weight_decay = own.getValueAsDouble();
        if (const auto own = variable->getAttrOfType<mlir::FloatAttr>("rate_factor"))
            rate_factor = own.getValueAsDouble();
        if (const auto own = variable->getAttrOfType<mlir::BoolAttr>("adapt"))
            adapt = own.getValue();
    }
};

class Updater {
  public:
    Updater(mlir::ModuleOp module, mlir::DictionaryAttr optimizer, OptimizerState &declared, mlir::OpBuilder &builder)
        : symbols_(module), declared_(declared),
          updates_(pipeline::updates_of_step(ir::updates_of(module), static_cast<int>(ir::micro_batch_count(module)))),
          optimizer_(ir::optimizer_of(optimizer)), builder_(builder), phase_(builder.getStringAttr("update")),
          shared_(builder, builder.getUnknownLoc(), "optimizer", "") {}

    void clip(mlir::ArrayRef<ParameterGradient> gradients);
    void update(const ParameterGradient &entry);

  private:
    struct State {
        Value value;
        FlatSymbolRefAttr variable;
    };

    [[nodiscard]] bool is_adaptive() const {
        return optimizer_.kind == Optimizer::Kind::adam || optimizer_.kind == Optimizer::Kind::lamb;
    }
    State state(StringRef suffix);
    void write(Value value, FlatSymbolRefAttr variable);

    Value rate(double factor);
    Value bias(double decay);
    Value trust_ratio(Arithmetic &of, Value change, double share, double eta);

    void descend(Arithmetic &of, Value gradient);
    void adaptive(Arithmetic &of, Value gradient);

    mlir::SymbolTable symbols_;
    OptimizerState &declared_;
    int updates_; ///< of a step
    Optimizer optimizer_;
    mlir::OpBuilder &builder_;
    StringAttr phase_;

    // Values that all parameters share.
    Arithmetic shared_;
    std::map<double, Value> rates_;  ///< by factor
    std::map<double, Value> biases_; ///< by decay
    Value scale_;                    ///< of all gradients; none without clipping

    // State of the current parameter.
    ir::VariableOp variable_;
    Value parameter_;
    std::optional<Settings> settings_;
};

/// Reads a part of the state. It is declared after the parameter by the first function that updates it.
Updater::State Updater::state(StringRef suffix) {
    const mlir::Location location = parameter_.getLoc();
    const std::string wanted = variable_.getSymName().str() + "." + suffix.str();
    FlatSymbolRefAttr &name = declared_[wanted];
    if (!name) {
        const mlir::OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPointAfter(variable_);
        const mlir::FloatAttr zero = builder_.getF64FloatAttr(0);
        const auto init =
            ir::InitializerAttr::get(builder_.getContext(), builder_.getStringAttr("constant"), zero, zero);
        auto declared =
            builder_.create<ir::VariableOp>(location, builder_.getStringAttr(wanted), variable_.getTypeAttr(), init,
                                            mlir::UnitAttr(), variable_.getLayerAttr());
        symbols_.insert(declared);
        name = FlatSymbolRefAttr::get(declared);
    }
    auto read = builder_.create<ir::ReadOp>(location, variable_.getType(), name, variable_.getLayerAttr(), phase_,
                                            ir::StrategyAttr());
    return {read.getResult(), name};
}

void Updater::write(Value value, FlatSymbolRefAttr variable) {
    builder_.create<ir::WriteOp>(parameter_.getLoc(), value, variable, variable_.getLayerAttr(), phase_,
                                 ir::StrategyAttr());
}

Value Updater::rate(double factor) {
    Value &known = rates_[factor];
    if (!known)
        known = factor == 1 ? learning_rate(shared_, optimizer_.rate, updates_) : shared_.mul(rate(1), factor);
    return known;
}

/// 1 − decay^t in update t = 1, 2, …: the total weight of a moving average that began with zeros.
Value Updater::bias(double decay) {
    Value &known = biases_[decay];
    if (!known)
        known = shared_.sub(shared_.scalar(1),
                            shared_.call("power", {shared_.scalar(decay), shared_.add(shared_.step(), 1)}));
    return known;
}

/// Pascanu, Mikolov, Bengio 2013, algorithm 1: all gradients are scaled so that their common norm is at most the limit.
/// The common norm is computed from the norm of each gradient. A partial sum of squares cannot pass through the root,
/// so the placement of one parameter does not affect the others.
void Updater::clip(mlir::ArrayRef<ParameterGradient> gradients) {
    Value sum;
    for (ParameterGradient entry : gradients) {
        Arithmetic of(builder_, entry.gradient.getLoc(), entry.parameter.getLayer().value_or(""),
                      entry.parameter.getVariable());
        const Value squares = shared_.square(of.sqrt(of.sum_of_squares(entry.gradient)));
        sum = sum ? shared_.add(sum, squares) : squares;
    }
    const Value ratio = shared_.div(shared_.scalar(optimizer_.clip_norm), shared_.sqrt(sum));
    scale_ = shared_.call("minimum", {ratio, shared_.scalar(1)});
}

/// η ‖w‖ / (‖change‖ + share · ‖w‖), and 1 where a norm is 0; f64.
Value Updater::trust_ratio(Arithmetic &of, Value change, double share, double eta) {
    const Value zero = of.scalar(0);
    const Value weights = of.sqrt(of.sum_of_squares(parameter_));
    const Value changes = of.sqrt(of.sum_of_squares(change));
    const Value sum = share == 0 ? changes : of.add(changes, of.mul(weights, share));
    const Value ratio = of.mul(of.div(weights, sum), eta);
    const Value some = of.mul(of.call("greater", {weights, zero}), of.call("greater", {changes, zero}));
    return of.call("select", {some, ratio, of.scalar(1)});
}

/// SGD: d = g + λ w; v ← μ v + d; w ← w − γ v, with Nesterov's momentum w ← w − γ (d + μ v) (Sutskever et al. 2013, in
/// PyTorch's form). LARS (You, Gitman, Ginsburg 2017, algorithm 1): d is scaled by γ η ‖w‖ / (‖g‖ + λ ‖w‖), v ← μ v +
/// d, w ← w − v.
void Updater::descend(Arithmetic &of, Value gradient) {
    const double decay = settings_->weight_decay;
    const double momentum = optimizer_.momentum;
    const bool lars = optimizer_.kind == Optimizer::Kind::lars;
    Value rate = this->rate(settings_->rate_factor);
    if (lars && settings_->adapt)
        rate = of.mul(trust_ratio(of, gradient, decay, optimizer_.trust), rate);
    const Value in_type = of.as(rate, parameter_);
    Value change = decay == 0 ? gradient : of.add(gradient, of.mul(parameter_, decay));
    if (lars)
        change = of.mul(change, in_type);
    if (momentum != 0) {
        const State velocity = state("momentum");
        const Value next = of.add(of.mul(velocity.value, momentum), change);
        write(next, velocity.variable);
        change = optimizer_.nesterov ? of.add(change, of.mul(next, momentum)) : next;
    }
    if (!lars)
        change = of.mul(change, in_type);
    write(of.sub(parameter_, change), FlatSymbolRefAttr::get(variable_));
}

/// Adam (Kingma and Ba 2015, algorithm 1); decoupled weight decay as AdamW (Loshchilov and Hutter 2019, algorithm 2,
/// scaled by the rate); LAMB (You et al. 2020, algorithm 2, φ the identity).
void Updater::adaptive(Arithmetic &of, Value gradient) {
    const bool lamb = optimizer_.kind == Optimizer::Kind::lamb;
    const double decay = settings_->weight_decay;
    if (decay != 0 && !lamb && !optimizer_.decoupled)
        gradient = of.add(gradient, of.mul(parameter_, decay));
    // Declared in reverse order, because each one is placed right after the parameter.
    const State second = state("second_moment");
    const State first = state("first_moment");
    const double beta1 = optimizer_.beta1;
    const double beta2 = optimizer_.beta2;
    const Value mean = of.add(of.mul(first.value, beta1), of.mul(gradient, 1 - beta1));
    const Value squares = of.add(of.mul(second.value, beta2), of.mul(of.square(gradient), 1 - beta2));
    write(mean, first.variable);
    write(squares, second.variable);

    const Value deviation = of.mul(of.sqrt(squares), of.as(shared_.call("rsqrt", {bias(beta2)}), parameter_));
    const Value corrected = of.mul(mean, of.as(shared_.call("reciprocal", {bias(beta1)}), parameter_));
    Value change = of.div(corrected, of.add(deviation, optimizer_.epsilon));
    if (decay != 0 && (lamb || optimizer_.decoupled))
        change = of.add(change, of.mul(parameter_, decay));
    Value rate = this->rate(settings_->rate_factor);
    if (lamb && settings_->adapt)
        rate = of.mul(trust_ratio(of, change, 0, 1), rate);
    write(of.sub(parameter_, of.mul(change, of.as(rate, parameter_))), FlatSymbolRefAttr::get(variable_));
}

void Updater::update(const ParameterGradient &entry) {
    ir::ReadOp read = entry.parameter;
    variable_ = symbols_.lookup<ir::VariableOp>(read.getVariable());
    parameter_ = read.getResult();
    settings_.emplace(optimizer_, variable_);
    Arithmetic of(builder_, read.getLoc(), variable_.getLayer().value_or(""), read.getVariable());
    const Value gradient = scale_ ? of.mul(entry.gradient, of.as(scale_, entry.gradient)) : entry.gradient;
    if (is_adaptive())
        adaptive(of, gradient);
    else
        descend(of, gradient);
}

} // namespace

void add_updates(mlir::ModuleOp module, mlir::ArrayRef<ParameterGradient> gradients, mlir::DictionaryAttr optimizer,
                 OptimizerState &declared, mlir::OpBuilder &builder) {
    Updater updater(module, optimizer, declared, builder);
    if (!gradients.empty() && ir::optimizer_of(optimizer).clip_norm > 0)
        updater.clip(gradients);
    for (const ParameterGradient &gradient : gradients)
        updater.update(gradient);
    order_by_norms(*builder.getInsertionBlock());
}

} // namespace planc::autodiff
