// Gathers whose result arrives in pieces (planrt/staged.h): --stage-gathers marks the start and the wait with the
// attribute `staged`. The operations that read the result are products, which follow one another; each of them runs
// once for each piece, and adds up what the pieces give.
#pragma once

#include "ir/plan_dialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/staged.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace planc::schedule {

inline constexpr const char *staged_attribute = "staged";

/// The wait for the operand of a product that arrives in pieces; null: there is none.
[[nodiscard]] ir::WaitOp staged_wait(mlir::Operation *product);
/// Its start, in the same function.
[[nodiscard]] ir::StartOp start_of(ir::WaitOp wait);
/// The products that read a staged gather, in their order.
[[nodiscard]] std::vector<mlir::Operation *> products_of(ir::WaitOp wait);

/// What a gather needs if it is staged; nothing if it cannot be.
[[nodiscard]] std::optional<planrt::StagedMemory> staged_memory(ir::StartOp start, ir::MeshAttr mesh);
/// Of the gathered tensor (planrt/staged.h): the dimension along which the pieces of the first rank lie; nothing if it
/// has none.
[[nodiscard]] std::optional<std::size_t> gathered_dimension(ir::StartOp start, ir::MeshAttr mesh);

/// The loop of a matrix product along which an operand arrives in pieces.
struct StagedLoop {
    std::string name;
    bool is_summed = false; ///< then the pieces' products are added up; else each is a part of the result
};
/// Nothing if the product cannot run piece by piece. `operand`: the one that is gathered.
[[nodiscard]] std::optional<StagedLoop> staged_loop(ir::GemmOp product, mlir::Value operand, std::size_t dimension);

/// Whether --stage-gathers may stage any gather of the program, scheduled or not.
[[nodiscard]] bool has_gathers_to_stage(mlir::ModuleOp module);

/// Of a product that runs piece by piece.
[[nodiscard]] StagedLoop staged_loop(ir::GemmOp product);
/// Whether such a product, dense or sparse, adds up what the pieces of its operand give.
[[nodiscard]] bool adds_up(mlir::Operation *product);

} // namespace planc::schedule
