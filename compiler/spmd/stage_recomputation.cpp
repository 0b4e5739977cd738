#include "spmd/stage_recomputation.h"

#include "spmd/extract.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>
#include <vector>

namespace planc::spmd {

namespace {

using mlir::Operation;
using mlir::Value;

bool has_phase(Operation *op, llvm::StringRef phase) {
    const auto own = op->getAttrOfType<mlir::StringAttr>("phase");
    return own && own.getValue() == phase;
}

/// For each recomputed operation, the one of the forward pass of which it is a copy: it differs in its phase, and takes
/// the originals of what the copy takes.
class Originals {
  public:
    explicit Originals(mlir::func::FuncOp function) {
        for (Operation &op : function.getBody().front())
            if (has_phase(&op, "forward")) {
                known_.try_emplace(key(op), &op);
            } else if (has_phase(&op, "recompute")) {
                const auto original = known_.find(key(op));
                if (original != known_.end())
                    of_[&op] = original->second;
            }
    }

    /// Null if the value is not recomputed.
    [[nodiscard]] Value of(Value value) const {
        const auto original = of_.find(value.getDefiningOp());
        return original == of_.end() ? Value()
                                     : original->second->getResult(mlir::cast<mlir::OpResult>(value).getResultNumber());
    }

  private:
    using Key = std::tuple<const void *, const void *, std::vector<void *>>; ///< name, attributes, operands

    [[nodiscard]] Key key(Operation &op) const {
        mlir::NamedAttrList attributes(op.getAttrDictionary());
        attributes.erase("phase");
        std::vector<void *> operands;
        for (Value operand : op.getOperands()) {
            const Value original = of(operand);
            operands.push_back((original ? original : operand).getAsOpaquePointer());
        }
        return {op.getName().getAsOpaquePointer(), attributes.getDictionary(op.getContext()).getAsOpaquePointer(),
                std::move(operands)};
    }

    std::map<Key, Operation *> known_;
    std::map<Operation *, Operation *> of_;
};

} // namespace

void recompute_within_stages(mlir::func::FuncOp function, const LayerStagesOf &layers_of) {
    const Extracted extracted = extract(function);
    const sharding::LayerStages layers = layers_of(extracted.graph);
    std::map<Operation *, int> stage_of;
    for (const sharding::OperationId o : extracted.graph.operations.ids())
        if (o < extracted.graph.end_of_program())
            stage_of[extracted.operations[o]] = layers.of[extracted.graph.operations[o].layer];
    const Originals originals(function);
    for (const auto &[op, stage] : stage_of)
        for (mlir::OpOperand &operand : op->getOpOperands())
            if (const Value original = originals.of(operand.get());
                original && stage_of.at(operand.get().getDefiningOp()) != stage)
                operand.set(original);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
        if (has_phase(&op, "recompute") && op.use_empty())
            op.erase();
}

} // namespace planc::spmd
