#include "schedule/staged.h"

#include "ir/pipeline_attribute.h"
#include "ir/subscripts.h"
#include "schedule/band.h"
#include "schedule/collective_info.h"
#include "schedule/functions.h"
#include "schedule/matrix_product.h"

#include <algorithm>
#include <map>

namespace planc::schedule {

ir::WaitOp staged_wait(mlir::Operation *product) {
    for (mlir::Value operand : product->getOperands())
        if (auto wait = operand.getDefiningOp<ir::WaitOp>(); wait && wait->hasAttr(staged_attribute))
            return wait;
    return {};
}

ir::StartOp start_of(ir::WaitOp wait) {
    return wait.getPending().front().getDefiningOp<ir::StartOp>();
}

std::vector<mlir::Operation *> products_of(ir::WaitOp wait) {
    std::vector<mlir::Operation *> products(wait->user_begin(), wait->user_end());
    std::ranges::sort(products, [](mlir::Operation *a, mlir::Operation *b) { return a->isBeforeInBlock(b); });
    return products;
}

std::optional<planrt::StagedMemory> staged_memory(ir::StartOp start, ir::MeshAttr mesh) {
    const CollectiveInfo info = collective_info(start, mesh);
    if (info.members.size() != 1)
        return std::nullopt;
    const auto &[from, to, element_bytes] = info.members.front();
    return planrt::staged_memory(info.kind, info.axes, from, to, ir::mesh_of(mesh));
}

std::optional<std::size_t> gathered_dimension(ir::StartOp start, ir::MeshAttr mesh) {
    const CollectiveInfo info = collective_info(start, mesh);
    const auto &[from, to, element_bytes] = info.members.front();
    const auto gather = planrt::staged_gather(info.kind, info.axes, from, to, ir::mesh_of(mesh), 0);
    return gather ? std::optional(gather->dimension) : std::nullopt;
}

std::optional<StagedLoop> staged_loop(ir::GemmOp product, mlir::Value operand, std::size_t dimension) {
    if (product.getA() == product.getB() || product.getAccumulator() == operand || band_of(product))
        return std::nullopt;
    const ir::Subscripts subscripts = *ir::parse_subscripts(product.getSubscripts());
    const std::string loop = subscripts.operands[product.getA() == operand ? 0 : 1][dimension];
    std::map<std::string, std::int64_t> extents;
    for (const auto &[loops, value] :
         {std::pair{subscripts.operands[0], product.getA()}, {subscripts.operands[1], product.getB()}})
        for (auto [name, extent] : llvm::zip(loops, tensor(value).getExtents()))
            extents[name] = extent;
    const auto shape = matrix_product(subscripts, [&](const std::string &name) { return extents.at(name); });
    std::vector<Loops> groups = shape->outer;
    groups.insert(groups.end(), {shape->rows, shape->columns, shape->summed});
    for (const Loops &group : groups)
        if (llvm::is_contained(group, loop))
            return group.front() == loop ? std::optional(StagedLoop{loop, &group == &groups.back()}) : std::nullopt;
    return std::nullopt;
}

StagedLoop staged_loop(ir::GemmOp product) {
    ir::WaitOp wait = staged_wait(product);
    const ir::MeshAttr mesh = ir::mesh_of_ranks(product->getParentOfType<mlir::func::FuncOp>());
    return *staged_loop(product, wait.getResults().front(), *gathered_dimension(start_of(wait), mesh));
}

bool adds_up(mlir::Operation *product) {
    auto gemm = mlir::dyn_cast<ir::GemmOp>(product);
    return !gemm || staged_loop(gemm).is_summed; // a sparse product sums over the rows of its operand
}

} // namespace planc::schedule
