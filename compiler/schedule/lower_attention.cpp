// Turns attention into calls of its kernels (planrt/attention.h): what one pass over the scores computes becomes one
// operation, output and total, or the three gradients; features and values become the last dimensions.

#include "schedule/functions.h"
#include "schedule/matrix_product.h"
#include "schedule/passes.h"

#include <algorithm>

namespace planc::schedule {

namespace {

using mlir::Value;

bool belong_together(ir::AttentionOp a, ir::AttentionOp b) {
    const auto without_kinds = [](ir::AttentionOp op) {
        mlir::NamedAttrList all(op->getAttrs());
        for (const char *own : {"kinds", "layer", "phase", "level", "deferred", "strategy"})
            all.erase(own);
        return all.getDictionary(op.getContext());
    };
    return a.isGradient() == b.isGradient() && a.getInputs() == b.getInputs() && without_kinds(a) == without_kinds(b) &&
           part_of(a) == part_of(b);
}

/// One operation, at the place of the first, for all of these; their order is that of the block. Results of one kind
/// are one: two layers may attend alike.
void join(const std::vector<ir::AttentionOp> &parts) {
    ir::AttentionOp first = parts.front();
    llvm::SmallVector<mlir::Attribute> kinds;
    llvm::SmallVector<mlir::Type> types;
    for (ir::AttentionOp part : parts)
        if (!llvm::is_contained(kinds, part.getKinds()[0])) {
            kinds.push_back(part.getKinds()[0]);
            types.push_back(part.getResult(0).getType());
        }
    mlir::OpBuilder builder(first);
    auto joined = builder.create<ir::AttentionOp>(first.getLoc(), types, builder.getArrayAttr(kinds), first.getInputs(),
                                                  first.getKeyAttr(), first.getFeatureAttr(), first.getPositionAttr(),
                                                  first.getWindowAttr(), first.getMaskedAttr(), mlir::StringAttr(),
                                                  mlir::StringAttr(), ir::StrategyAttr());
    set_place(joined, first);
    for (ir::AttentionOp part : parts) {
        const auto result = llvm::find(kinds, part.getKinds()[0]) - kinds.begin();
        part.getResult(0).replaceAllUsesWith(joined.getResult(static_cast<unsigned>(result)));
        part.erase();
    }
}

void join_all(mlir::func::FuncOp function) {
    std::vector<std::vector<ir::AttentionOp>> groups;
    for (auto op : function.getOps<ir::AttentionOp>()) {
        const auto at = llvm::find_if(groups, [&](const auto &group) { return belong_together(group.front(), op); });
        if (at == groups.end())
            groups.push_back({op});
        else
            at->push_back(op);
    }
    for (const std::vector<ir::AttentionOp> &group : groups)
        join(group);
}

class Ordering {
  public:
    explicit Ordering(ir::AttentionOp op) : op_(op), builder_(op) {
        for (const mlir::StringAttr role : op.valueRoles())
            own_.push_back(role.str());
    }

    void run() {
        const std::vector<std::string> feature{op_.getFeature().str()};
        for (auto [number, last] : {std::pair{0U, feature}, {1U, feature}, {2U, own_}, {4U, own_}})
            if (number < 4 || op_.isGradient())
                order_operand(op_->getOpOperand(number), last);
        if (op_.isGradient())
            order_like(op_->getOpOperand(5), op_.getInputs()[3]);
        for (auto [kind, like] : {std::pair{"query_gradient", 0U}, {"key_gradient", 1U}, {"value_gradient", 2U}})
            if (const int result = op_.find(kind); result >= 0)
                order_result(op_.getResult(static_cast<unsigned>(result)), names_of(tensor(op_.getInputs()[like])));
        if (const int output = op_.find("output"); output >= 0) {
            const Value result = op_.getResult(static_cast<unsigned>(output));
            order_result(result, with_last(tensor(result), own_));
        }
    }

  private:
    static std::vector<std::string> names_of(ir::TensorType type) {
        std::vector<std::string> names;
        for (const mlir::StringAttr role : type.getRoles())
            names.push_back(role.str());
        return names;
    }

    static std::vector<std::string> with_last(ir::TensorType type, const std::vector<std::string> &last) {
        std::vector<std::string> order;
        for (const mlir::StringAttr role : type.getRoles())
            if (!llvm::is_contained(last, role.str()))
                order.push_back(role.str());
        order.insert(order.end(), last.begin(), last.end());
        return order;
    }

    Value permuted(Value value, ir::TensorType type) {
        auto permute = builder_.create<ir::PermuteOp>(op_.getLoc(), type, value, mlir::StringAttr(), mlir::StringAttr(),
                                                      ir::StrategyAttr());
        set_place(permute, op_);
        return permute.getResult();
    }

    void order_like(mlir::OpOperand &operand, Value other) { order(operand, names_of(tensor(other))); }
    void order_operand(mlir::OpOperand &operand, const std::vector<std::string> &last) {
        order(operand, with_last(tensor(operand.get()), last));
    }
    void order(mlir::OpOperand &operand, const std::vector<std::string> &roles) {
        const ir::TensorType type = tensor(operand.get());
        const ir::TensorType ordered = with_dimensions(type, roles);
        builder_.setInsertionPoint(op_);
        if (ordered != type)
            operand.set(permuted(operand.get(), ordered));
    }

    void order_result(Value result, const std::vector<std::string> &roles) {
        const ir::TensorType type = tensor(result);
        const ir::TensorType ordered = with_dimensions(type, roles);
        if (ordered == type)
            return;
        result.setType(ordered);
        builder_.setInsertionPointAfter(op_);
        const Value back = permuted(result, type);
        result.replaceAllUsesExcept(back, back.getDefiningOp());
    }

    ir::AttentionOp op_;
    mlir::OpBuilder builder_;
    std::vector<std::string> own_;
};

struct LowerAttention : mlir::PassWrapper<LowerAttention, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAttention)

    llvm::StringRef getArgument() const override { return "lower-attention"; }
    llvm::StringRef getDescription() const override {
        return "Join what one pass of attention over the scores computes, and put its dimensions into the kernel's "
               "order";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        join_all(function);
        for (auto op : llvm::to_vector(function.getOps<ir::AttentionOp>()))
            Ordering(op).run();
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> lower_attention() {
    return std::make_unique<LowerAttention>();
}

} // namespace planc::schedule
