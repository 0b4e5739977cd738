// Products become plan.gemm. The loops of a product of two operands fall into four groups:
//
//   batch   in a, b and the result         rows     in a and the result
//   summed  in a and b only                columns  in b and the result
//
// BLAS takes a as (batch, rows, summed) or with the last two exchanged, b likewise; an operand whose dimensions stand
// otherwise is permuted first. A loop of one operand alone is summed first.

#include "ir/subscripts.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include <utility>

namespace planc::schedule {

namespace {

using Loops = std::vector<std::string>;

Loops operator+(Loops a, const Loops &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

bool has(const Loops &loops, const std::string &loop) {
    return llvm::is_contained(loops, loop);
}

struct Factor {
    mlir::Value value;
    Loops loops;
};

class Lowering {
  public:
    explicit Lowering(ir::EinsumOp op)
        : op_(op), builder_(op), subscripts_(*ir::parse_subscripts(op.getSubscripts())) {}

    void run() {
        const auto &loops = subscripts_.operands;
        const bool pair = loops.size() == 2;
        Factor result = sum_alone({op_.getInputs()[0], loops[0]}, pair ? loops[1] : Loops());
        if (pair)
            result = product(result, sum_alone({op_.getInputs()[1], loops[1]}, loops[0]));
        result = permuted(result, subscripts_.result);
        mlir::Value value = result.value;
        if (value.getType() != op_.getResult().getType())
            value = view(value, op_.getResult().getType());
        op_.getResult().replaceAllUsesWith(value);
        op_.erase();
    }

  private:
    /// Sums the loops that neither the result nor the other operand has.
    Factor sum_alone(const Factor &factor, const Loops &other) {
        Loops kept;
        for (const std::string &loop : factor.loops)
            if (has(subscripts_.result, loop) || has(other, loop))
                kept.push_back(loop);
        if (kept.size() == factor.loops.size())
            return factor;
        const mlir::Value operand = with_loop_roles(factor);
        auto sum = builder_.create<ir::ReduceOp>(op_.getLoc(), summed_type(tensor(operand), kept), "sum", operand,
                                                 mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(sum, op_);
        return {sum.getResult(), kept};
    }

    /// Whatever cuts a dimension that goes leaves a partial sum.
    ir::TensorType summed_type(ir::TensorType type, const Loops &kept) {
        const ir::MeshAttr mesh = ir::mesh_attribute(op_->getParentOfType<mlir::ModuleOp>());
        const ir::TensorType rest = with_dimensions(type, kept);
        planrt::Placement placement = ir::placement_of(rest, mesh);
        for (auto [role, dimension] : llvm::zip(type.getRoles(), ir::placement_of(type, mesh).dimensions))
            if (rest.find(role) < 0)
                placement.partial.insert(placement.partial.end(), dimension.axes.begin(), dimension.axes.end());
        llvm::sort(placement.partial);
        return rest.getLayout() ? rest.withLayout(ir::layout_of(placement, rest, mesh)) : rest;
    }

    Factor product(Factor a, Factor b) {
        Loops batch;
        Loops rows;
        Loops columns;
        for (const std::string &loop : subscripts_.result)
            (!has(a.loops, loop) ? columns : has(b.loops, loop) ? batch : rows).push_back(loop);
        if (subscripts_.result != batch + rows + columns && subscripts_.result == batch + columns + rows) {
            std::swap(a, b); // the transposed result is the product of the transposed operands
            std::swap(rows, columns);
        }
        const Loops summed = summed_loops(a, b);
        const bool transpose_a = a.loops != batch + rows + summed && a.loops == batch + summed + rows;
        const bool transpose_b = b.loops != batch + summed + columns && b.loops == batch + columns + summed;
        if (!transpose_a)
            a = permuted(a, batch + rows + summed);
        if (!transpose_b)
            b = permuted(b, batch + summed + columns);
        const Loops loops = batch + rows + columns;
        const auto count = [](const Loops &group) { return static_cast<int64_t>(group.size()); };
        auto gemm = builder_.create<ir::GemmOp>(
            op_.getLoc(), product_type(loops), a.value, b.value, mlir::Value(), transpose_a, transpose_b, count(batch),
            count(rows), count(columns), count(summed), mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(gemm, op_);
        return {gemm.getResult(), loops};
    }

    /// In the order of the larger operand, so that the smaller one is permuted where they differ.
    Loops summed_loops(const Factor &a, const Factor &b) const {
        const bool a_first = tensor(a.value).elements() >= tensor(b.value).elements();
        Loops loops;
        for (const std::string &loop : (a_first ? a : b).loops)
            if (has((a_first ? b : a).loops, loop) && !has(subscripts_.result, loop))
                loops.push_back(loop);
        return loops;
    }

    ir::TensorType product_type(const Loops &loops) {
        const ir::TensorType wanted = op_.getResult().getType();
        return loops == subscripts_.result ? wanted : with_dimensions(with_roles(wanted, subscripts_.result), loops);
    }

    Factor permuted(const Factor &factor, const Loops &order) {
        if (factor.loops == order)
            return factor;
        const mlir::Value operand = with_loop_roles(factor);
        auto permute = builder_.create<ir::PermuteOp>(op_.getLoc(), with_dimensions(tensor(operand), order), operand,
                                                      mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(permute, op_);
        return {permute.getResult(), order};
    }

    mlir::Value with_loop_roles(const Factor &factor) {
        const ir::TensorType type = with_roles(tensor(factor.value), factor.loops);
        return type == tensor(factor.value) ? factor.value : view(factor.value, type);
    }

    mlir::Value view(mlir::Value value, ir::TensorType type) {
        auto view = builder_.create<ir::ViewOp>(op_.getLoc(), type, value, mlir::StringAttr(), mlir::StringAttr(),
                                                ir::StrategyAttr());
        set_place(view, op_);
        return view.getResult();
    }

    ir::EinsumOp op_;
    mlir::OpBuilder builder_;
    ir::Subscripts subscripts_;
};

struct LowerContractions : mlir::PassWrapper<LowerContractions, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerContractions)

    llvm::StringRef getArgument() const override { return "lower-contractions"; }
    llvm::StringRef getDescription() const override {
        return "Turn products of two operands into matrix products, sums and permutations of one into plan.reduce and "
               "plan.permute";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        for (auto op : llvm::to_vector(function.getOps<ir::EinsumOp>())) {
            const mlir::Type element = op.getResult().getType().getElementType();
            if (op.getInputs().size() > 2)
                return op.emitOpError() << "has " << op.getInputs().size() << " operands: run pair-contractions first";
            if (op.getInputs().size() == 2 && !element.isF32() && !element.isF64())
                return op.emitOpError() << "there is no matrix product of " << element;
            Lowering(op).run();
        }
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> lower_contractions() {
    return std::make_unique<LowerContractions>();
}

} // namespace planc::schedule
