// Turns products into plan.gemm on the operands in place (matrix_product.h). Where strides do not allow that, the
// smallest of the three tensors that helps is permuted. A loop of one operand alone is summed first.

#include "ir/pipeline_attribute.h"
#include "ir/subscripts.h"
#include "schedule/functions.h"
#include "schedule/matrix_product.h"
#include "schedule/passes.h"

#include <array>
#include <map>

namespace planc::schedule {

namespace {

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

/// The loops of a product's operands and result, dimension by dimension.
struct Orders {
    Loops a;
    Loops b;
    Loops result;
};

class Lowering {
  public:
    explicit Lowering(ir::EinsumOp op)
        : op_(op), builder_(op), subscripts_(*ir::parse_subscripts(op.getSubscripts())), mesh_(ir::mesh_of_ranks(op)) {}

    void run() {
        const auto &loops = subscripts_.operands;
        const bool pair = loops.size() == 2;
        Factor result = sum_alone({op_.getInputs()[0], loops[0]}, pair ? loops[1] : Loops());
        if (pair) {
            const Factor other = sum_alone({op_.getInputs()[1], loops[1]}, loops[0]);
            const bool same = llvm::all_of(result.loops, [&](const std::string &l) { return has(other.loops, l); }) &&
                              result.loops.size() == other.loops.size();
            result = same ? sum_alone(elementwise(result, other), Loops()) : product(result, other);
        }
        result = permuted(result, subscripts_.result);
        mlir::Value value = result.value;
        if (value.getType() != op_.getResult().getType())
            value = view(value, op_.getResult().getType());
        op_.getResult().replaceAllUsesWith(value);
        op_.erase();
    }

  private:
    /// Sums over the loops that neither the result nor the other operand has.
    Factor sum_alone(const Factor &factor, const Loops &other) {
        Loops kept;
        for (const std::string &loop : factor.loops)
            if (has(subscripts_.result, loop) || has(other, loop))
                kept.push_back(loop);
        if (kept.size() == factor.loops.size())
            return factor;
        const mlir::Value operand = with_loop_roles(factor);
        auto sum = builder_.create<ir::ReduceOp>(op_.getLoc(), summed_type(tensor(operand), kept, mesh_), "sum",
                                                 operand, mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(sum, op_);
        return {sum.getResult(), kept};
    }

    /// A product that has no rows and columns.
    Factor elementwise(const Factor &a, const Factor &b) {
        const mlir::Value first = with_loop_roles(a);
        const mlir::Value second = with_loop_roles(b);
        auto mul = builder_.create<ir::PointwiseOp>(op_.getLoc(), addend_type(tensor(first), tensor(second)), "mul",
                                                    mlir::ValueRange{first, second}, mlir::StringAttr(),
                                                    mlir::StringAttr(), ir::StrategyAttr());
        set_place(mul, op_);
        return {mul.getResult(), a.loops};
    }

    /// The product of two tensors is a partial sum wherever one of them is.
    ir::TensorType addend_type(ir::TensorType type, ir::TensorType other) {
        if (!type.getLayout())
            return type;
        planrt::Placement placement = ir::placement_of(type, mesh_);
        const std::vector<int> more = ir::placement_of(other, mesh_).partial;
        placement.partial.insert(placement.partial.end(), more.begin(), more.end());
        llvm::sort(placement.partial);
        return type.withLayout(ir::layout_of(placement, type, mesh_));
    }

    Factor product(Factor a, Factor b) {
        const Orders orders = best_orders(a, b);
        a = permuted(a, orders.a);
        b = permuted(b, orders.b);
        const ir::Subscripts subscripts{{orders.a, orders.b}, orders.result};
        auto gemm = builder_.create<ir::GemmOp>(op_.getLoc(), product_type(orders.result), subscripts.text(), a.value,
                                                b.value, mlir::Value(), mlir::FloatAttr(), mlir::StringAttr(),
                                                mlir::StringAttr(), ir::StrategyAttr());
        set_place(gemm, op_);
        return {gemm.getResult(), orders.result};
    }

    /// The orders of dimensions for which a matrix product exists, with the fewest elements to permute.
    Orders best_orders(const Factor &a, const Factor &b) {
        const std::map<std::string, int64_t> extents = loop_extents(a, b);
        const auto extent = [&](const std::string &loop) { return extents.at(loop); };
        const std::array volumes{volume(a.loops, extents), volume(b.loops, extents),
                                 volume(subscripts_.result, extents)};
        Orders best;
        int64_t least = -1;
        for (unsigned choice = 0; choice < 8; ++choice) { // a bit for each tensor: permute it
            const Orders orders = canonical(a.loops, b.loops, choice);
            int64_t moved = 0;
            for (unsigned i = 0; i < 3; ++i)
                moved += (choice >> i & 1) != 0 ? volumes[i] : 0;
            if ((least < 0 || moved < least) && matrix_product({{orders.a, orders.b}, orders.result}, extent)) {
                best = orders;
                least = moved;
            }
        }
        return best;
    }

    /// Permuted tensors get the order (batch, rows, summed), (batch, summed, columns), (batch, rows, columns); within
    /// each group the order of the tensors that are not permuted.
    Orders canonical(const Loops &a, const Loops &b, unsigned choice) const {
        const Loops &c = subscripts_.result;
        const bool move_a = (choice & 1) != 0;
        const bool move_b = (choice & 2) != 0;
        const bool move_c = (choice & 4) != 0;
        const auto pick = [](const Loops &order, const Loops &in, const Loops &not_in) {
            Loops picked;
            for (const std::string &loop : order)
                if (has(in, loop) && !has(not_in, loop))
                    picked.push_back(loop);
            return picked;
        };
        Loops batch;
        for (const std::string &loop : c)
            if (has(a, loop) && has(b, loop))
                batch.push_back(loop);
        const Loops rows = pick(move_c ? a : c, move_c ? c : a, b);
        const Loops columns = pick(move_c ? b : c, move_c ? c : b, a);
        const Loops summed = pick(move_a ? b : a, move_a ? a : b, c);
        return {move_a ? batch + rows + summed : a, move_b ? batch + summed + columns : b,
                move_c ? batch + rows + columns : c};
    }

    std::map<std::string, int64_t> loop_extents(const Factor &a, const Factor &b) const {
        std::map<std::string, int64_t> extents;
        for (const Factor *factor : {&a, &b})
            for (auto [loop, extent] : llvm::zip(factor->loops, tensor(factor->value).getExtents()))
                extents[loop] = extent;
        return extents;
    }

    static int64_t volume(const Loops &loops, const std::map<std::string, int64_t> &extents) {
        int64_t product = 1;
        for (const std::string &loop : loops)
            product *= extents.at(loop);
        return product;
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
    ir::MeshAttr mesh_;
};

/// Dimensions that are split keep their place, so the local elements stay in place.
void lower_reshape(ir::ReshapeOp op) {
    mlir::OpBuilder builder(op);
    auto view = builder.create<ir::ViewOp>(op.getLoc(), op.getResult().getType(), op.getOperand(), mlir::StringAttr(),
                                           mlir::StringAttr(), ir::StrategyAttr());
    set_place(view, op);
    op.getResult().replaceAllUsesWith(view.getResult());
    op.erase();
}

struct LowerContractions : mlir::PassWrapper<LowerContractions, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerContractions)

    llvm::StringRef getArgument() const override { return "lower-contractions"; }
    llvm::StringRef getDescription() const override {
        return "Turn products of two operands into matrix products, sums and permutations of one into plan.reduce and "
               "plan.permute, reshapes into views";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        for (auto op : llvm::to_vector(function.getOps<ir::ReshapeOp>()))
            lower_reshape(op);
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
