#include "autodiff/order_products.h"
#include "autodiff/hoist_input_products.h"
#include "autodiff/passes.h"

#include "ir/entry_functions.h"
#include "ir/layer_builder.h"

#include "mlir/Analysis/SliceAnalysis.h"

#include <algorithm>

namespace planc::autodiff {

#define GEN_PASS_DEF_ORDERPRODUCTS
#include "autodiff/passes.h.inc"

using ir::type_of;

namespace {

/// a (x w): the product of a sparse matrix and a dense product.
struct Products {
    ir::SpmmOp sparse;
    ir::EinsumOp dense;
    unsigned operand = 0;   ///< x, of the dense product
    unsigned dimension = 0; ///< of x: its rows, over which the sparse product sums
    unsigned row = 0;       ///< dimension of the results that has the rows
};

std::optional<Products> products_of(ir::SpmmOp sparse) {
    auto dense = sparse.getOperand().getDefiningOp<ir::EinsumOp>();
    if (!dense || !dense.getResult().hasOneUse() || dense.getInputs().size() != 2)
        return std::nullopt;
    const ir::Subscripts outer = *ir::parse_subscripts(sparse.getSubscripts());
    const ir::Subscripts inner = *ir::parse_subscripts(dense.getSubscripts());
    const auto at = llvm::find(outer.operands[1], sparse.matrixLoops().summed) - outer.operands[1].begin();
    const std::string &row = inner.result[static_cast<std::size_t>(at)];
    const auto dimension = [&](unsigned operand) {
        return static_cast<unsigned>(llvm::find(inner.operands[operand], row) - inner.operands[operand].begin());
    };
    const bool of_first = dimension(0) < inner.operands[0].size();
    if (of_first == (dimension(1) < inner.operands[1].size())) // the rows of w are x's too
        return std::nullopt;
    return Products{sparse, dense, of_first ? 0U : 1U, dimension(of_first ? 0 : 1), static_cast<unsigned>(at)};
}

bool has_gradient(mlir::Value value) {
    llvm::SetVector<mlir::Operation *> made_of;
    mlir::BackwardSliceOptions options;
    options.inclusive = true;
    mlir::getBackwardSlice(value, &made_of, options);
    return llvm::any_of(made_of, [](mlir::Operation *op) { return mlir::isa<ir::ReadOp>(op); });
}

/// The columns of sparse products in a step: of the forward one, and of that with the gradient if there is one.
std::int64_t columns(ir::TensorType operand, std::int64_t rows, bool gradient) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : operand.getExtents())
        elements *= extent;
    return elements / rows * (gradient ? 2 : 1);
}

/// Whether (a x) w is better: with fewer columns the sparse products work and move less.
bool is_better_exchanged(const Products &products) {
    ir::EinsumOp dense = products.dense;
    const mlir::Value x = dense.getInputs()[products.operand];
    const std::int64_t rows = type_of(x).getExtents()[products.dimension];
    return is_input_product(x, products.dimension, products.sparse, products.row) ||
           columns(type_of(x), rows, has_gradient(x)) < columns(dense.getResult().getType(), rows, /*gradient=*/true);
}

/// Replaces a (x w) by (a x) w, unless a loop of x or w already has a name that a's rows or columns need.
void exchange(const Products &products) {
    ir::SpmmOp sparse = products.sparse;
    ir::EinsumOp dense = products.dense;
    const ir::MatrixLoops matrix = sparse.matrixLoops();
    const mlir::Value x = dense.getInputs()[products.operand];
    ir::Subscripts inner = *ir::parse_subscripts(dense.getSubscripts());
    const std::string row = inner.operands[products.operand][products.dimension];
    if (row != matrix.kept && llvm::is_contained(inner.loops(), matrix.kept))
        return;
    for (std::vector<std::string> *loops : {&inner.operands[0], &inner.operands[1], &inner.result})
        std::ranges::replace(*loops, row, matrix.kept);

    llvm::SmallVector<mlir::StringAttr> roles(type_of(x).getRoles());
    llvm::SmallVector<std::int64_t> extents(type_of(x).getExtents());
    ir::Subscripts outer{{ir::parse_subscripts(sparse.getSubscripts())->operands[0], {}}, {}};
    for (unsigned i = 0; i < roles.size(); ++i) {
        const bool is_row = i == products.dimension;
        if (!is_row && (roles[i] == matrix.kept || roles[i] == matrix.summed))
            return;
        outer.operands[1].push_back(is_row ? matrix.summed : roles[i].str());
        outer.result.push_back(is_row ? matrix.kept : roles[i].str());
    }
    const ir::TensorType result = sparse.getResult().getType();
    roles[products.dimension] = result.getRoles()[products.row];
    extents[products.dimension] = result.getExtents()[products.row];

    mlir::OpBuilder builder(sparse);
    ir::LayerBuilder first(builder, sparse.getLoc(), *sparse.getLayer(), *sparse.getPhase());
    ir::LayerBuilder second(builder, dense.getLoc(), *dense.getLayer(), *dense.getPhase());
    llvm::SmallVector<mlir::Value> factors(dense.getInputs());
    factors[products.operand] = first.spmm(
        outer, x, sparse, ir::TensorType::get(builder.getContext(), roles, extents, result.getElementType(), {}));
    sparse.getResult().replaceAllUsesWith(second.einsum(inner, factors, result));
    sparse.erase();
    dense.erase();
}

struct OrderProducts : impl::OrderProductsBase<OrderProducts> {
    void runOnOperation() override {
        if (auto loss = getOperation().lookupSymbol<mlir::func::FuncOp>("loss"))
            order_products(loss, SparseFirst::where_cheaper);
    }
};

} // namespace

void order_products(mlir::func::FuncOp loss, SparseFirst wanted) {
    for (auto op : llvm::make_early_inc_range(loss.getOps<ir::SpmmOp>()))
        if (const std::optional<Products> products = products_of(op);
            products && (wanted == SparseFirst::always || is_better_exchanged(*products)))
            exchange(*products);
}

} // namespace planc::autodiff
