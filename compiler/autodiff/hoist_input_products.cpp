#include "autodiff/hoist_input_products.h"
#include "autodiff/passes.h"

#include "ir/entry_functions.h"
#include "ir/layer_builder.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_HOISTINPUTPRODUCTS
#include "autodiff/passes.h.inc"

using ir::type_of;

bool is_input_product(mlir::Value x, unsigned summed, ir::SpmmOp op, unsigned row) {
    const auto input = mlir::dyn_cast<mlir::BlockArgument>(x);
    const ir::TensorType to = op.getResult().getType();
    return op->getParentOp()->hasAttr("plan.all_samples") && input && ir::received_by(input) < 0 && summed == 0 &&
           !op.matrixLoops().transposed && type_of(x).getRoles().front() == to.getRoles()[row] &&
           type_of(x).getExtents().front() == to.getExtents()[row];
}

namespace {

/// The product keeps the other dimensions in their order, so it has its rows where the operand has them.
bool is_of_input(ir::SpmmOp op) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const auto at = llvm::find(subscripts.result, op.matrixLoops().kept) - subscripts.result.begin();
    return is_input_product(op.getOperand(), static_cast<unsigned>(at), op, static_cast<unsigned>(at));
}

/// The input that takes the place of the product.
mlir::BlockArgument product_input(ir::SpmmOp op, mlir::func::FuncOp loss) {
    const unsigned of = mlir::cast<mlir::BlockArgument>(op.getOperand()).getArgNumber();
    const std::string name = (op.getMean() ? "mean " : "") + op.getMatrix().str() + " * " +
                             loss.getArgAttrOfType<mlir::StringAttr>(of, "plan.input").str();
    for (mlir::BlockArgument argument : loss.getArguments())
        if (loss.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input") == name)
            return argument;
    mlir::Builder builder(op.getContext());
    const unsigned end = loss.getNumArguments();
    loss.insertArgument(end, op.getResult().getType(),
                        builder.getDictionaryAttr(builder.getNamedAttr("plan.input", builder.getStringAttr(name))),
                        op.getLoc());
    return loss.getArgument(end);
}

/// Whether the second argument could take the place of the first, whose rows are the samples.
bool has_same_rows(mlir::func::FuncOp loss) {
    const auto rows = [&](unsigned number) { return type_of(loss.getArgument(number)).getRoles().front(); };
    return loss.getNumArguments() > 1 && !type_of(loss.getArgument(1)).getRoles().empty() && rows(0) == rows(1);
}

/// The label is found by its number.
void erase_unused_inputs(mlir::func::FuncOp loss, const llvm::DenseSet<unsigned> &replaced) {
    const auto label = loss->getAttrOfType<mlir::IntegerAttr>("plan.label");
    for (unsigned number = loss.getNumArguments(); number-- > 0;) {
        if (!replaced.contains(number) || !loss.getArgument(number).use_empty() ||
            (number == 0 && !has_same_rows(loss)))
            continue;
        loss.eraseArgument(number);
        if (label && label.getInt() > static_cast<std::int64_t>(number))
            loss->setAttr("plan.label", mlir::Builder(loss.getContext()).getI64IntegerAttr(label.getInt() - 1));
    }
}

struct HoistInputProducts : impl::HoistInputProductsBase<HoistInputProducts> {
    void runOnOperation() override {
        auto loss = getOperation().lookupSymbol<mlir::func::FuncOp>("loss");
        if (!loss)
            return;
        llvm::DenseSet<unsigned> replaced;
        llvm::SmallVector<ir::SpmmOp> products; // a product of one of them stays
        for (auto op : loss.getOps<ir::SpmmOp>())
            if (is_of_input(op))
                products.push_back(op);
        for (ir::SpmmOp op : products) {
            replaced.insert(mlir::cast<mlir::BlockArgument>(op.getOperand()).getArgNumber());
            op.getResult().replaceAllUsesWith(product_input(op, loss));
            op.erase();
        }
        erase_unused_inputs(loss, replaced);
    }
};

} // namespace

} // namespace planc::autodiff
