// The constant tables that describe a program to the runtime (planrt::Program).
#pragma once

#include "emit/emit.h"
#include "emit/field_rows.h"
#include "emit/local_extents.h"
#include "emit/value_names.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

class Tables {
  public:
    Tables(mlir::ModuleOp module, const EmitInfo &info, const ValueNames &names, LocalExtents &extents);

    /// Definitions of all tables, the last of them `program`.
    [[nodiscard]] std::string text() const { return shapes_ + "\n" + field_rows_.arrays() + text_; }

  private:
    std::string tensor(ir::TensorType type, const std::string &offset);
    std::string tensor(mlir::Value value) {
        return tensor(mlir::cast<ir::TensorType>(value.getType()), "at::" + names_.of(value));
    }
    std::string shape(ir::TensorType type);

    void write_mesh();
    void write_variables();
    static std::string fields_name(mlir::func::FuncOp function);
    void write_fields(mlir::func::FuncOp function);
    void write_micro_batches();
    void write_collectives();
    void write_program();
    /// `constexpr TYPE name[] = {…};` and a span of it; an empty table is `{}`.
    std::string array(const std::string &type, const std::string &name, const std::vector<std::string> &rows);
    [[nodiscard]] std::string data_set() const;

    mlir::ModuleOp module_;
    const EmitInfo &info_;
    const ValueNames &names_;
    LocalExtents &extents_;
    ir::MeshAttr mesh_;
    FieldRows field_rows_;
    std::map<std::string, std::string> shape_names_; ///< rows of the array -> its name
    std::string shapes_;
    std::string text_;
    std::map<std::string, std::string> spans_; ///< table -> what stands in Program for it
    int training_collectives_ = 0;
    int64_t batch_ = 0; ///< global samples a step
};

} // namespace planc::emit
