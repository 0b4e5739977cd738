// The weights of the best epoch (setting `keep` of a training). Each variable of the model gets a second one, which the
// runtime fills after an evaluation that is better than all before. No step reads or writes it; it lies in the arena
// and in checkpoints like the optimizer's state, in the placement of the first.
//
//   @w          {…}
//   @w.best     {best_of = "w"}

#include "ir/plan_dialect.h"
#include "schedule/passes.h"

#include "mlir/IR/SymbolTable.h"

namespace planc::schedule {

namespace {

struct KeepBest : mlir::PassWrapper<KeepBest, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepBest)

    llvm::StringRef getArgument() const override { return "keep-best"; }
    llvm::StringRef getDescription() const override { return "Declare variables for the weights of the best epoch"; }

    void runOnOperation() override {
        mlir::ModuleOp module = getOperation();
        if (!module->hasAttr("plan.keeps_best"))
            return;
        mlir::SymbolTable symbols(module);
        mlir::OpBuilder builder(module.getContext());
        for (auto variable : llvm::to_vector(module.getOps<ir::VariableOp>())) {
            const std::string name = variable.getSymName().str() + ".best";
            const bool of_model = variable.getTrained() || variable->hasAttr("statistic");
            if (!of_model || symbols.lookup(name)) // @evaluate gets the variables of a scheduled step
                continue;
            builder.setInsertionPointAfter(variable);
            auto best = mlir::cast<ir::VariableOp>(builder.clone(*variable));
            best.setSymName(name);
            best.setTrained(false);
            best->removeAttr("statistic");
            best->setAttr("best_of", variable.getSymNameAttr());
            if (const auto original = variable->getAttrOfType<mlir::StringAttr>("copy_of"))
                best->setAttr("copy_of", builder.getStringAttr(original.str() + ".best"));
            symbols.insert(best);
        }
    }
};

} // namespace

std::unique_ptr<mlir::Pass> keep_best() {
    return std::make_unique<KeepBest>();
}

} // namespace planc::schedule
