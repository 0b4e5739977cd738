#include "autodiff/passes.h"

#include "ir/layer_builder.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_HALVEPRODUCTS
#include "autodiff/passes.h.inc"

namespace {

/// The halves of a matrix: `plan.halves` of the module.
class HalvesOfMatrices {
  public:
    explicit HalvesOfMatrices(mlir::ModuleOp module)
        : all_(module->getAttrOfType<mlir::DictionaryAttr>("plan.halves")) {}

    [[nodiscard]] mlir::DictionaryAttr of(ir::SpmmOp op) const {
        return all_ ? all_.getAs<mlir::DictionaryAttr>(op.getMatrix()) : mlir::DictionaryAttr();
    }

  private:
    mlir::DictionaryAttr all_;
};

mlir::Value half_of(ir::LayerBuilder &build, ir::SpmmOp op, mlir::DictionaryAttr halves, bool sent) {
    ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const ir::MatrixLoops loops = op.matrixLoops();
    if (sent) { // what splits the rows of the whole splits the columns of this half
        for (std::vector<std::string> *names : {&subscripts.operands[0], &subscripts.operands[1], &subscripts.result})
            ir::exchange(*names, loops.kept, loops.summed);
    }
    const mlir::Value product = build.spmm(subscripts, op.getOperand(), op, op.getResult().getType());
    auto half = mlir::cast<ir::SpmmOp>(product.getDefiningOp());
    const auto number = [&](const std::string &name) { return halves.getAs<mlir::IntegerAttr>(name); };
    const std::string which = sent ? "sent" : "fetched";
    half.setPartsAttr(number("parts"));
    half.setSent(sent);
    half.setNumberAttr(number(which));
    half.setNonzerosAttr(number(which + "_nonzeros"));
    return product;
}

struct HalveProducts : impl::HalveProductsBase<HalveProducts> {
    void runOnOperation() override {
        auto loss = getOperation().lookupSymbol<mlir::func::FuncOp>("loss");
        const HalvesOfMatrices halves(getOperation());
        if (!loss)
            return;
        for (auto op : llvm::make_early_inc_range(loss.getOps<ir::SpmmOp>())) {
            const mlir::DictionaryAttr of = halves.of(op);
            if (!of || op.getOperand().getType().getExtents() != op.getResult().getType().getExtents())
                continue;
            mlir::OpBuilder builder(op);
            ir::LayerBuilder build(builder, op.getLoc(), *op.getLayer(), *op.getPhase());
            const mlir::Value fetched = half_of(build, op, of, false);
            const mlir::Value sent = half_of(build, op, of, true);
            op.getResult().replaceAllUsesWith(build.pointwise("add", {fetched, sent}, op.getResult().getType()));
            op.erase();
        }
    }
};

} // namespace

} // namespace planc::autodiff
