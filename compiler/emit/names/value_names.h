// The names of buffers in the emitted program: variables by their path, inputs by their field, values by layer and
// operation, gradients of parameters by their parameter.
#pragma once

#include "emit/layers_alike/statement.h"
#include "emit/names/identifiers.h"
#include "emit/step.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

/// One constant of the emitted program: a place in the arena.
struct NamedBuffer {
    std::string name;
    int64_t offset = 0;
    std::string title; ///< for the comment: "h1.w", "gradient of h1.w"
    ir::TensorType type;
};

class ValueNames {
  public:
    /// `step` must outlive this.
    ValueNames(mlir::ModuleOp module, const Step &step);
    /// The constant that holds the offset of a value's buffer.
    [[nodiscard]] std::string of(mlir::Value value) const;
    /// The constant that holds the offset of a variable.
    [[nodiscard]] std::string of(ir::VariableOp variable) const { return variables_.lookup(variable.getSymNameAttr()); }
    /// The content of the buffer in words: "h1.w", "h1 relu", "gradient of h1.w".
    [[nodiscard]] std::string title(mlir::Value value) const;
    /// The place of a value or a variable, for a statement.
    [[nodiscard]] Hole hole(mlir::Value value) const {
        return hole(of(value), mlir::cast<ir::TensorType>(value.getType()));
    }
    [[nodiscard]] Hole hole(ir::VariableOp variable) const {
        return hole(of(variable), mlir::cast<ir::TensorType>(variable.getType()));
    }
    /// All buffers, in the order of declaration.
    [[nodiscard]] const std::vector<NamedBuffer> &buffers() const { return buffers_; }

    /// The value that fills the buffer, found through views, waits, and from body to body.
    [[nodiscard]] mlir::Value origin(mlir::Value value) const;

  private:
    void name_inputs(mlir::func::FuncOp function);
    void name_function(mlir::func::FuncOp function);
    void add(mlir::Value value, const std::string &title);
    std::string declare(const std::string &title, int64_t offset, ir::TensorType type);
    [[nodiscard]] Hole hole(const std::string &name, ir::TensorType type) const;

    const Step &step_;
    UniqueNames unique_;
    std::vector<NamedBuffer> buffers_; ///< variables before all others
    std::size_t first_temporary_ = 0;
    std::map<std::string, std::size_t> numbers_; ///< name of a buffer -> its place among them
    llvm::DenseMap<mlir::Value, std::string> names_;
    llvm::DenseMap<mlir::StringAttr, std::string> variables_;
    /// By role and offset. These places hold no other values.
    std::map<std::pair<int, int64_t>, std::string> variable_at_;
};

} // namespace planc::emit
