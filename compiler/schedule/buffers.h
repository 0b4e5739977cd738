// The places of values in the arena, after assign-buffers.
#pragma once

#include "ir/plan_dialect.h"

#include <planrt/layout.h>

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinOps.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace planc::schedule {

/// Bytes from the start of the arena. Arguments have `plan.offset`, variables and reads of them `offset`, operations
/// `offsets`; views and waits refer to the buffer of another value.
[[nodiscard]] int64_t offset_of(mlir::Value value);

/// The value whose buffer this value uses, through views and waits.
[[nodiscard]] mlir::Value buffer_root(mlir::Value value);

/// Bytes of the largest block of any rank.
[[nodiscard]] int64_t buffer_bytes(ir::TensorType type, ir::MeshAttr mesh);

/// For a value that an operation makes. Weights in a kernel's format take as much as this format may need.
[[nodiscard]] int64_t buffer_bytes(mlir::Value value, ir::MeshAttr mesh);

/// The scratch that started collectives pack into. Results are cached, because layers repeat and each rank packs a
/// different part.
class ScratchSizes {
  public:
    /// `mesh`: of the ranks that take part.
    [[nodiscard]] int64_t bytes(ir::StartOp start, ir::MeshAttr mesh);

  private:
    int64_t elements(planrt::CollectiveKind kind, ir::TensorType from, ir::TensorType to, ir::MeshAttr mesh);

    llvm::DenseMap<std::tuple<int, mlir::Type, mlir::Type, mlir::Attribute>, int64_t> known_; ///< by kind
};

/// The bytes of the arenas, by role.
[[nodiscard]] std::vector<std::int64_t> arenas(mlir::ModuleOp module);
void set_arenas(mlir::ModuleOp module, const std::vector<std::int64_t> &bytes);

} // namespace planc::schedule
