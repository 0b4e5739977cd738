#include "spmd/stage_recomputation.h"

#include "sharding/stage_recomputation.h"
#include "spmd/extract.h"

#include "llvm/ADT/STLExtras.h"

namespace planc::spmd {

void recompute_within_stages(mlir::func::FuncOp function, const LayerStagesOf &layers_of) {
    const Extracted extracted = extract(function);
    const auto values = extracted.ir_values();
    for (const auto &[operation, operand, value] :
         sharding::taken_from_forward(extracted.graph, layers_of(extracted.graph)))
        extracted.operations[operation]->setOperand(extracted.operand_numbers[operation][operand], values[value]);
    for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front()))) {
        const auto phase = op.getAttrOfType<mlir::StringAttr>("phase");
        if (phase && phase.getValue() == "recompute" && op.use_empty())
            op.erase();
    }
}

} // namespace planc::spmd
