// Where the values of a scheduled program lie in the arena, followed operation by operation: see buffers.h. Of a
// program without offsets nothing is checked.
#pragma once

#include "interpret/buffers.h"
#include "interpret/layouts.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace planc::interpret {

class Places {
  public:
    /// Places the variables, if the module has an arena.
    Places(mlir::ModuleOp module, Layouts &layouts);

    void place_arguments(mlir::func::FuncOp function);

    /// What the operation reads from the arena is still there. A fused loop reads what its body reads.
    void before(mlir::Operation &op);
    /// Its results are where it says.
    void after(mlir::Operation &op);

    /// The buffer of `value` is that of `other`.
    void same(mlir::Value value, mlir::Value other);
    void read_variable(ir::ReadOp op);
    void write_variable(ir::WriteOp op);
    void start(ir::StartOp op);
    void wait(ir::WaitOp op);

    /// At the end: results and variables are still there.
    void check_end(mlir::ValueRange results) const;

  private:
    int write(std::int64_t offset, ir::TensorType type, const std::string &name);
    void check(mlir::Value value) const;

    Layouts &layouts_;
    std::optional<Buffers> buffers_;
    llvm::DenseMap<mlir::Value, int> places_;
    std::map<std::string, int> variables_;
    std::map<std::string, std::int64_t> variable_offsets_;
    std::set<std::string> spent_; ///< accumulators, until they are written: the last micro-batch may use their places
};

} // namespace planc::interpret
