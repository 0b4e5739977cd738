// What the functions of a pipeline's stages send each other (spmd/split_stages.h): which result of which function is
// which argument of another.
#pragma once

#include "ir/plan_dialect.h"
#include "schedule/collective_info.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace planc::schedule {

struct StageTransfer {
    mlir::func::FuncOp from;
    unsigned result = 0;
    mlir::func::FuncOp to;
    unsigned argument = 0;
    std::string name; ///< "h1 to stage 1", "h1 to stage 1 (2)": unique among the transfers of functions of one kind

    [[nodiscard]] mlir::Value sent() const;
    [[nodiscard]] mlir::BlockArgument received() const;
    /// Whether both stages are of one role.
    [[nodiscard]] bool stays() const;
    /// As a transfer that runs once. Both functions are laid out.
    [[nodiscard]] TransferInfo info() const;
    /// Where the sending and the receiving ranks pack, after assign-buffers.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> scratch_offsets() const;
};

/// Among functions of one kind: of the same purpose, and of training for micro-batches that accumulate alike. (The last
/// micro-batches of replicas may differ in size, but are updated together.)
[[nodiscard]] bool alike(mlir::func::FuncOp a, mlir::func::FuncOp b);

/// Of all entry functions, by receiving function and argument. A value may be received twice, in two layouts.
[[nodiscard]] std::vector<StageTransfer> stage_transfers(mlir::ModuleOp module);

} // namespace planc::schedule
