// What leads to a value on the entries of a sparse matrix, as the steps of a plan.edge_reduce.
#pragma once

#include "ir/edge_steps.h"
#include "ir/subscripts.h"

#include <map>
#include <optional>

namespace planc::autodiff {

/// Whether the value has the rows and the columns of the matrix among its dimensions.
[[nodiscard]] bool has_both_sides(mlir::Value value, ir::EdgesOp edges);
/// The matrix outside of whose entries the value is 0; null if none is known.
[[nodiscard]] ir::EdgesOp edges_of(mlir::Value value);

/// Where the value is select(is an entry of a matrix, x, number): 1 at each entry; else null.
[[nodiscard]] ir::EdgesOp mask_of(mlir::Value value);

class EdgeExpression {
  public:
    /// By role of a value, the loop of the dimension.
    using Loops = std::map<std::string, std::string>;

    /// `rows`, `columns`: the loops of the matrix. `taken`: loops of the reduction.
    EdgeExpression(ir::EdgesOp edges, std::string rows, std::string columns, const std::vector<std::string> &taken);

    /// The number of the step with this value; none if it cannot be computed at one entry.
    std::optional<int> step(mlir::Value value, const Loops &loops);
    int product(std::vector<int> steps);

    /// The operation that reduces a step. It takes the place of `like`.
    mlir::Value reduce(int step, mlir::OpBuilder &builder, mlir::Operation *like, llvm::StringRef reduction,
                       double initial, std::vector<std::string> result_loops);

  private:
    int add(ir::EdgeStep step);
    std::optional<int> new_step(mlir::Value value, const Loops &loops);
    void keep_what_leads_to(int step);
    void exchange_sides(std::vector<std::string> &result_loops);
    std::optional<int> computed(mlir::Operation *op, const Loops &loops);
    std::optional<int> pointwise(ir::PointwiseOp op, const Loops &loops);
    std::optional<int> einsum(ir::EinsumOp op, const Loops &loops);
    std::optional<int> sum(ir::ReduceOp op, const Loops &loops);
    int leaf(mlir::Value value, Loops loops);
    std::string fresh(std::string name, std::int64_t extent);
    void note(mlir::Value value, const Loops &loops);

    ir::EdgesOp edges_;
    std::string rows_;
    std::string columns_;
    std::vector<ir::EdgeStep> steps_;
    std::vector<std::pair<std::pair<mlir::Value, std::vector<std::string>>, int>> known_; ///< by the loops of a value
    std::vector<std::string> loops_;
    std::map<std::string, std::int64_t> extents_;
    std::vector<mlir::Value> operands_;
    std::vector<std::vector<std::string>> operand_loops_;
};

} // namespace planc::autodiff
