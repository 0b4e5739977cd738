// Turns products of three or more operands into products of two: the pair with the smallest result comes first.

#include "ir/pipeline_attribute.h"
#include "ir/subscripts.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::schedule {

namespace {

using Loops = std::vector<std::string>;

struct Factor {
    mlir::Value value;
    Loops loops;
};

/// The facts about a loop that are known from the operands that have it.
struct LoopShape {
    int64_t extent = 1;
    planrt::AxisList axes;
};

class Pairing {
  public:
    Pairing(ir::EinsumOp op, ir::MeshAttr mesh) : op_(op), mesh_(mesh), builder_(op) {
        const auto subscripts = *ir::parse_subscripts(op.getSubscripts());
        result_ = subscripts.result;
        for (auto [input, loops] : llvm::zip(op.getInputs(), subscripts.operands)) {
            factors_.push_back({input, loops});
            const auto placement = ir::placement_of(tensor(input), mesh);
            for (auto [loop, dimension] : llvm::zip(loops, placement.dimensions))
                shapes_[loop] = {dimension.extent, dimension.axes};
            partial_.insert(placement.partial.begin(), placement.partial.end());
        }
    }

    void run() {
        while (factors_.size() > 2)
            contract_best_pair();
        ir::Subscripts last{{factors_[0].loops, factors_[1].loops}, result_};
        op_.setSubscripts(last.text());
        op_.getInputsMutable().assign({factors_[0].value, factors_[1].value});
    }

  private:
    void contract_best_pair() {
        size_t best_i = 0;
        size_t best_j = 1;
        for (size_t i = 0; i < factors_.size(); ++i)
            for (size_t j = i + 1; j < factors_.size(); ++j)
                if (volume(kept(i, j)) < volume(kept(best_i, best_j))) {
                    best_i = i;
                    best_j = j;
                }
        const Loops loops = kept(best_i, best_j);
        const ir::Subscripts subscripts{{factors_[best_i].loops, factors_[best_j].loops}, loops};
        auto product = builder_.create<ir::EinsumOp>(op_.getLoc(), type(loops), subscripts.text(),
                                                     mlir::ValueRange{factors_[best_i].value, factors_[best_j].value},
                                                     mlir::StringAttr(), mlir::StringAttr(), ir::StrategyAttr());
        set_place(product, op_);
        factors_[best_i] = {product.getResult(), loops};
        factors_.erase(factors_.begin() + static_cast<std::ptrdiff_t>(best_j));
    }

    /// The loops of factors i and j that something else still needs, in the order of first appearance.
    Loops kept(size_t i, size_t j) const {
        std::set<std::string> needed(result_.begin(), result_.end());
        for (size_t other = 0; other < factors_.size(); ++other)
            if (other != i && other != j)
                needed.insert(factors_[other].loops.begin(), factors_[other].loops.end());
        Loops loops;
        for (size_t factor : {i, j})
            for (const std::string &loop : factors_[factor].loops)
                if (needed.contains(loop) && !llvm::is_contained(loops, loop))
                    loops.push_back(loop);
        return loops;
    }

    double volume(const Loops &loops) const {
        double product = 1;
        for (const std::string &loop : loops)
            product *= static_cast<double>(shapes_.at(loop).extent);
        return product;
    }

    /// Dimensions are named after their loops. Axes that split a removed loop leave a partial sum.
    ir::TensorType type(const Loops &loops) {
        llvm::SmallVector<mlir::StringAttr> roles;
        llvm::SmallVector<int64_t> extents;
        planrt::Placement placement;
        std::set<int> cuts;
        for (const std::string &loop : loops) {
            const LoopShape &shape = shapes_.at(loop);
            roles.push_back(builder_.getStringAttr(loop));
            extents.push_back(shape.extent);
            placement.dimensions.push_back({shape.extent, shape.axes});
            cuts.insert(shape.axes.begin(), shape.axes.end());
        }
        std::set<int> partial = partial_;
        for (const auto &[loop, shape] : shapes_)
            if (!llvm::is_contained(result_, loop))
                partial.insert(shape.axes.begin(), shape.axes.end());
        for (int axis : partial)
            if (!cuts.contains(axis))
                placement.partial.push_back(axis);
        const auto plain = ir::TensorType::get(op_.getContext(), roles, extents,
                                               op_.getResult().getType().getElementType(), ir::LayoutAttr());
        return plain.withLayout(ir::layout_of(placement, plain, mesh_));
    }

    ir::EinsumOp op_;
    ir::MeshAttr mesh_;
    mlir::OpBuilder builder_;
    Loops result_;
    std::vector<Factor> factors_;
    std::map<std::string, LoopShape> shapes_;
    std::set<int> partial_;
};

struct PairContractions : mlir::PassWrapper<PairContractions, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PairContractions)

    llvm::StringRef getArgument() const override { return "pair-contractions"; }
    llvm::StringRef getDescription() const override {
        return "Turn products of three or more operands into products of two, the smallest intermediate result first";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        const ir::MeshAttr mesh = ir::mesh_of_ranks(function);
        for (auto op : llvm::to_vector(function.getOps<ir::EinsumOp>()))
            if (op.getInputs().size() > 2)
                Pairing(op, mesh).run();
        return mlir::success();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> pair_contractions() {
    return std::make_unique<PairContractions>();
}

} // namespace planc::schedule
