// The constant tables that describe a program to the runtime (planrt::Program).
#pragma once

#include "emit/emit.h"
#include "emit/layers_alike/layers_alike.h"
#include "emit/names/local_extents.h"
#include "emit/names/matrices.h"
#include "emit/names/value_names.h"
#include "emit/tables/collectives.h"
#include "emit/tables/field_rows.h"
#include "emit/tables/step_tables.h"
#include "emit/tables/work.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace planc::emit {

class Tables {
  public:
    Tables(mlir::ModuleOp module, const Step &step, const EmitInfo &info, const ValueNames &names,
           const Matrices &matrices, const WorkRows &work, LocalExtents &extents, UniqueNames &globals);

    /// Definitions of all tables, the last of them `program`.
    [[nodiscard]] std::string text() const;
    /// Whether the program needs <planrt/tables.h>.
    [[nodiscard]] bool filled_at_run_time() const { return !filling_.empty(); }

  private:
    std::string tensor(ir::TensorType type, const std::string &offset);
    std::string tensor(mlir::Value value) {
        return tensor(mlir::cast<ir::TensorType>(value.getType()), "at::" + names_.of(value));
    }
    std::string shape(ir::TensorType type);

    void write_mesh();
    void write_variables();
    void write_fields();
    void write_fields_of_body(int body);
    void write_evaluation_fields(const std::vector<mlir::func::FuncOp> &functions, const std::string &name);
    void write_step();
    void write_work(const WorkRows &work);
    void write_collectives();
    void write_collective_arrays(const std::vector<ir::StartOp> &starts);
    void write_transfers(std::vector<std::string> &rows, std::vector<std::string> &collectives);
    [[nodiscard]] ir::MeshAttr mesh_of(ir::StartOp start) const;
    void write_transfer(const std::string &name, const schedule::TransferInfo &info, const std::string &from,
                        const std::string &to, std::pair<std::int64_t, std::int64_t> scratch,
                        std::vector<std::string> &rows, std::vector<std::string> &collectives);
    void describe_collective(ir::StartOp start, std::vector<Statement> &statements);
    std::vector<std::string> predicted_rows(ir::StartOp start, const CollectiveInfo &info);
    /// Predicted for all its runs in a step.
    std::string predicted_seconds(ir::StartOp start, const CollectiveInfo &info);
    std::vector<schedule::Predicted> predicted_of_all(ir::StartOp start, const CollectiveInfo &info);
    std::string axes_of(const CollectiveInfo &info);
    std::vector<std::string> method_of(const CollectiveInfo &info);
    std::string write_order(const sema::VertexOrder &order);
    void write_program();
    /// `constexpr TYPE name[] = {…};` and a span of it; an empty table is `{}`.
    std::string array(const std::string &type, const std::string &name, const std::vector<std::string> &rows);
    /// The rows as an array, or, where layers repeat, as statements tables.method(row).
    void table(const std::string &type, const std::string &name, const std::string &method,
               std::vector<Statement> rows);
    void fill(const std::vector<Statement> &statements, const std::string &what);
    [[nodiscard]] std::string data_set() const;

    mlir::ModuleOp module_;
    const Step &step_;
    const EmitInfo &info_;
    const ValueNames &names_;
    LocalExtents &extents_;
    ir::MeshAttr mesh_;
    FieldRows field_rows_;
    std::map<std::string, std::string> shape_names_;      ///< rows of the array -> its name
    std::map<std::vector<int>, std::string> group_names_; ///< shape of a group of ranks -> the name of its array
    std::string shapes_;
    std::string text_;
    UniqueNames &globals_;
    LayersAlike alike_;
    std::string fillers_; ///< functions that fill planrt::Tables
    std::string filling_; ///< their calls
    std::string program_;
    std::map<std::string, std::string> spans_; ///< table -> its text in Program
    int training_collectives_ = 0;
    std::map<int, std::string> fields_; ///< of bodies: names of their tables
    TransferNumbers transfers_;
};

} // namespace planc::emit
