// The functions of the emitted program: one for each distinct computation of layers, and one for each body of the step,
// which calls them layer by layer.
#pragma once

#include "emit/emit.h"
#include "emit/functions/body.h"
#include "emit/functions/kernels.h"
#include "emit/layers_alike/layers_alike.h"
#include "emit/names/local_extents.h"
#include "emit/names/matrices.h"
#include "emit/names/value_names.h"
#include "emit/tables/work.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

class Functions {
  public:
    /// `globals`: names at the top of the program.
    Functions(const Step &step, const EmitInfo &info, const ValueNames &names, const Matrices &matrices,
              const WorkRows &work, LocalExtents &extents, UniqueNames &globals);

    /// Definitions of the computations of layers, each once.
    [[nodiscard]] const std::string &layers() const { return layers_text_; }
    /// Definitions of the functions that alike layers share.
    [[nodiscard]] const std::string &layers_alike() const { return alike_.definitions(); }
    /// Definitions of the bodies of the step, of evaluation and prediction.
    [[nodiscard]] const std::string &steps() const { return steps_; }
    /// Statements that prepare what the bodies call.
    [[nodiscard]] std::string set_up() const;

  private:
    void write(mlir::func::FuncOp function);
    /// Writes a function whose kernels only take their modelled time.
    void write_modelled(mlir::func::FuncOp function);
    void write_modelled_pieces(ir::WaitOp wait);
    void write_choice(const Step &step, const std::vector<mlir::func::FuncOp> &by_role);
    void end(mlir::func::FuncOp function);
    void flush(Body &body, std::vector<mlir::Operation *> &ops);
    void write_in_pieces(Body &body, mlir::Operation *op, ir::WaitOp wait);
    void write_variable(Body &body, std::vector<mlir::Operation *> &ops, ir::WriteOp write);
    void write_communication(mlir::Operation *op);
    /// Books the following statements to the layer of the operation.
    void book(mlir::Operation *op);
    /// A new statement of the operation's layer.
    static Statement begin(mlir::Operation *op);
    std::string define(const Body &body, const std::vector<mlir::Operation *> &ops);
    [[nodiscard]] ParameterNames parameter_names(const Body &body, const std::string &layer) const;
    [[nodiscard]] std::string place(mlir::Operation *op) const;
    /// The order of the vertices by whose numbers in the file random numbers go.
    [[nodiscard]] const sema::VertexOrder *order() const {
        return info_.sampled_vertices > 0 ? nullptr : info_.order.get();
    }

    mlir::SymbolTableCollection symbols_;
    const Step &step_;
    const EmitInfo &info_;
    const ValueNames &names_;
    const Matrices &matrices_;
    const WorkRows &work_;
    LocalExtents &extents_;
    UniqueNames &globals_;
    std::map<std::string, std::string> functions_; ///< key of a body -> name of its function
    LayersAlike alike_;
    std::vector<Statement> statements_; ///< of the function that is being written
    bool is_body_ = false;              ///< is it a part of the training step?
    int booked_ = -1;                   ///< row of the work to which its last statements are booked
    InPieces pieces_;                   ///< of the loop over pieces that is being written
    std::string layers_text_;
    std::string steps_;
    std::vector<std::string> preparations_; ///< each once
};

} // namespace planc::emit
