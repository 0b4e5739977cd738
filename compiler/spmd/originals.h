// Which operation of the forward pass a recomputed one is a copy of: it differs in its phase, and takes the originals
// of what the copy takes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <tuple>
#include <vector>

namespace planc::spmd {

class Originals {
  public:
    explicit Originals(mlir::func::FuncOp function);

    /// Null if the operation computes nothing again.
    [[nodiscard]] mlir::Operation *of(mlir::Operation *op) const;

  private:
    using Key = std::tuple<const void *, const void *, std::vector<void *>>; ///< name, attributes, operands
    [[nodiscard]] Key key(mlir::Operation &op) const;
    [[nodiscard]] mlir::Value of(mlir::Value value) const;

    std::map<Key, mlir::Operation *> known_;
    std::map<mlir::Operation *, mlir::Operation *> of_;
};

} // namespace planc::spmd
