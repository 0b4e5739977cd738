// A gather whose result only products read is staged (schedule/staged.h): the products multiply the rank's own block
// while the first piece arrives, then each piece while the next one arrives, and memory holds two
// pieces at most beside that block.
// Messages and bytes remain what they were.
//
//   %x = wait 3 (…)                  %x = wait 3 (…) {staged}
//   %0 = spmm %x                =>   %0 = spmm %x     runs piece by piece
//   …                                %1 = gemm (%x, %w)   likewise, in the same loop
//   %1 = gemm (%x, %w)               …

#include "ir/method.h"
#include "ir/pipeline_attribute.h"
#include "ir/subscripts.h"
#include "schedule/collective_info.h"
#include "schedule/functions.h"
#include "schedule/passes.h"
#include "schedule/segments.h"
#include "schedule/staged.h"

namespace planc::schedule {

namespace {

/// Whether the product can take the operand piece by piece.
bool takes_pieces(mlir::Operation *product, mlir::Value operand, std::size_t dimension) {
    if (auto spmm = mlir::dyn_cast<ir::SpmmOp>(product)) {
        const ir::Subscripts subscripts = *ir::parse_subscripts(spmm.getSubscripts());
        return subscripts.result[dimension] == spmm.matrixLoops().kept;
    }
    auto gemm = mlir::dyn_cast<ir::GemmOp>(product);
    return gemm && staged_loop(gemm, operand, dimension);
}

/// All of one block.
bool are_in_one_body(llvm::ArrayRef<mlir::Operation *> ops) {
    return llvm::any_of(segments(*ops.front()->getBlock()), [&](const std::vector<mlir::Operation *> &body) {
        return llvm::all_of(ops, [&](mlir::Operation *op) { return llvm::is_contained(body, op); });
    });
}

/// Whether one loop over the pieces can run them all, where the first one is.
bool can_share_a_loop(const std::vector<mlir::Operation *> &products) {
    mlir::Operation *first = products.front();
    const auto is_there = [first](mlir::Value operand) {
        mlir::Operation *op = operand.getDefiningOp();
        return op == nullptr || op->isBeforeInBlock(first);
    };
    return llvm::all_of(products, [&](mlir::Operation *product) {
        return layer_of(product) == layer_of(first) && section_of(product) == section_of(first) &&
               llvm::all_of(product->getOperands(), is_there);
    });
}

/// The products that read the result of a gather, if they can take it piece by piece; else none. What takes longest to
/// find out comes last.
std::vector<mlir::Operation *> products_in_pieces(ir::StartOp start, ir::MeshAttr mesh) {
    if (start.getInputs().size() != 1 || !start.getResults().front().hasOneUse())
        return {};
    auto wait = mlir::dyn_cast<ir::WaitOp>(*start->user_begin());
    if (!wait || wait.getResults().front().use_empty())
        return {};
    const mlir::Value gathered = wait.getResults().front();
    if (!llvm::all_of(gathered.getUsers(), [](mlir::Operation *user) {
            return mlir::isa<ir::GemmOp, ir::SpmmOp>(user) && !staged_wait(user);
        }))
        return {};
    const std::optional<std::size_t> dimension = gathered_dimension(start, mesh);
    if (!dimension || !llvm::all_of(gathered.getUsers(),
                                    [&](mlir::Operation *user) { return takes_pieces(user, gathered, *dimension); }))
        return {};
    std::vector<mlir::Operation *> products = products_of(wait);
    const bool can =
        can_share_a_loop(products) && are_in_one_body({start, wait, products.front()}) && staged_memory(start, mesh);
    return can ? products : std::vector<mlir::Operation *>();
}

int ring_of(ir::StartOp start, ir::MeshAttr mesh) {
    int ranks = 1;
    for (const int axis : collective_info(start, mesh).axes)
        ranks *= ir::mesh_of(mesh).sizes[static_cast<std::size_t>(axis)];
    return ranks;
}

void stage(ir::StartOp start, ir::MeshAttr mesh) {
    const std::vector<mlir::Operation *> products = products_in_pieces(start, mesh);
    if (products.empty())
        return;
    for (std::size_t i = 1; i < products.size(); ++i)
        products[i]->moveAfter(products[i - 1]);
    if (start.getKind() == "all_gather") // its pieces go around
        ir::set_method(start, {planrt::Algorithm::ring, {ring_of(start, mesh)}});
    const auto marked = mlir::UnitAttr::get(start.getContext());
    start->setAttr(staged_attribute, marked);
    (*start->user_begin())->setAttr(staged_attribute, marked);
}

struct StageGathers : mlir::PassWrapper<StageGathers, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageGathers)

    llvm::StringRef getArgument() const override { return "stage-gathers"; }
    llvm::StringRef getDescription() const override {
        return "Let products compute with each piece of a gather as soon as it has arrived";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        const ir::MeshAttr mesh = ir::mesh_of_ranks(function);
        for (auto start : llvm::to_vector(function.getOps<ir::StartOp>()))
            stage(start, mesh);
        return mlir::success();
    }
};

} // namespace

bool has_gathers_to_stage(mlir::ModuleOp module) {
    return llvm::any_of(module.getOps<mlir::func::FuncOp>(), [](mlir::func::FuncOp function) {
        const ir::MeshAttr mesh = ir::mesh_of_ranks(function);
        return llvm::any_of(function.getOps<ir::StartOp>(),
                            [&](ir::StartOp start) { return !products_in_pieces(start, mesh).empty(); });
    });
}

std::unique_ptr<mlir::Pass> stage_gathers() {
    return std::make_unique<StageGathers>();
}

} // namespace planc::schedule
