// Two versions of the weights that take turns (Narayanan et al., PipeDream-2BW, ICML 2021). Each parameter gets a
// second variable. Which of both a micro-batch reads, and which its update reads and writes, depends on its kind
// (program::Versions), and each kind has code of its own.
//
//   @w                          {…}
//   @"w (other version)"        {version_of = "w"}
// The second one is written before it is read in each step. So it has no initial value, and no place in a checkpoint.

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "schedule/functions.h"
#include "schedule/micro_batch_kind.h"
#include "schedule/passes.h"

#include "mlir/IR/SymbolTable.h"

#include <array>
#include <map>

namespace planc::schedule {

namespace {

/// The symbols of both variables of a parameter.
using Buffers = std::array<mlir::FlatSymbolRefAttr, 2>;

class Alternation {
  public:
    explicit Alternation(mlir::ModuleOp module) : module_(module), symbols_(module), builder_(module.getContext()) {}

    void run() {
        for (auto variable : llvm::to_vector(module_.getOps<ir::VariableOp>()))
            if (variable.getTrained())
                add_version(variable);
        for (mlir::func::FuncOp function : ir::entry_functions(module_))
            if (ir::is_training(function))
                alternate(function, kind_of(function).versions);
    }

  private:
    void add_version(ir::VariableOp variable) {
        builder_.setInsertionPointAfter(variable);
        auto other = mlir::cast<ir::VariableOp>(builder_.clone(*variable));
        other.setSymName(variable.getSymName().str() + " (other version)");
        other.setTrained(false);
        other->setAttr("version_of", variable.getSymNameAttr());
        symbols_.insert(other);
        buffers_[variable.getSymName()] = {mlir::FlatSymbolRefAttr::get(variable), mlir::FlatSymbolRefAttr::get(other)};
    }

    [[nodiscard]] const Buffers *buffers_of(mlir::StringRef variable) const {
        const auto known = buffers_.find(variable);
        return known == buffers_.end() ? nullptr : &known->second;
    }

    void alternate(mlir::func::FuncOp function, const program::Versions &versions) {
        for (auto read : llvm::to_vector(function.getOps<ir::ReadOp>())) {
            const Buffers *buffers = buffers_of(read.getVariable());
            if (buffers == nullptr)
                continue;
            if (versions.changed != versions.used) {
                builder_.setInsertionPointAfter(read);
                auto changed = mlir::cast<ir::ReadOp>(builder_.clone(*read));
                changed.setVariableAttr((*buffers)[static_cast<size_t>(versions.changed)]);
                read.getResult().replaceUsesWithIf(
                    changed.getResult(), [](mlir::OpOperand &use) { return part_of(use.getOwner()) == Part::update; });
            }
            read.setVariableAttr((*buffers)[static_cast<size_t>(versions.used)]);
        }
        for (auto write : function.getOps<ir::WriteOp>())
            if (const Buffers *buffers = buffers_of(write.getVariable()))
                write.setVariableAttr((*buffers)[static_cast<size_t>(versions.written)]);
    }

    mlir::ModuleOp module_;
    mlir::SymbolTable symbols_;
    mlir::OpBuilder builder_;
    std::map<mlir::StringRef, Buffers> buffers_; ///< by parameter
};

struct AlternateWeights : mlir::PassWrapper<AlternateWeights, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AlternateWeights)

    llvm::StringRef getArgument() const override { return "alternate-weights"; }
    llvm::StringRef getDescription() const override {
        return "Keep two versions of the weights, with which micro-batches work in turn";
    }

    void runOnOperation() override {
        mlir::ModuleOp module = getOperation();
        mlir::func::FuncOp step = ir::updating_function(module);
        if (step && ir::kind_number(step) >= 0 && ir::updates_of(module).weights == pipeline::Weights::two_versions)
            Alternation(module).run();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> alternate_weights() {
    return std::make_unique<AlternateWeights>();
}

} // namespace planc::schedule
