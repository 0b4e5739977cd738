#include "timeline/kernel_work.h"

#include "cost/kernels/convolutions.h"
#include "cost/kernels/kernels.h"
#include "ir/placement.h"
#include "ir/subscripts.h"
#include "schedule/functions.h"
#include "schedule/loop_nest.h"
#include "sharding/placement.h"
#include "spmd/extract.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>
#include <utility>

namespace planc::timeline {

using planrt::DimensionPlacement;
using planrt::Mesh;
using schedule::tensor;

namespace {

int element_bytes(mlir::Value value) {
    return static_cast<int>(tensor(value).getElementType().getIntOrFloatBitWidth() / 8);
}

/// A matrix product is the contraction of its subscripts; its accumulator stays in place.
sharding::Operation product(ir::GemmOp gemm) {
    const auto subscripts = *ir::parse_subscripts(gemm.getSubscripts());
    const std::vector<std::string> names = subscripts.loops();
    sharding::Operation operation;
    operation.name = "product";
    operation.kernel = sharding::Kernel::contraction;
    operation.flops_per_point = 2;
    for (const std::string &name : names)
        operation.nest.loops.push_back({name, 1, sharding::LoopKind::reduced});
    const auto loops = [&](const std::vector<std::string> &of, mlir::Value value) {
        std::vector<int> numbers;
        for (auto [name, extent] : llvm::zip(of, tensor(value).getExtents())) {
            numbers.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
            operation.nest.loops[static_cast<std::size_t>(numbers.back())].extent = extent;
        }
        return numbers;
    };
    operation.nest.operands = {loops(subscripts.operands[0], gemm.getA()), loops(subscripts.operands[1], gemm.getB())};
    operation.nest.results = {loops(subscripts.result, gemm.getResult())};
    for (int loop : operation.nest.results[0])
        operation.nest.loops[static_cast<std::size_t>(loop)].kind = sharding::LoopKind::parallel;
    return operation;
}

/// Parts of a convolution are added as a matrix product is added to its accumulator.
sharding::Operation convolution(ir::ConvOp conv) {
    sharding::Operation operation = spmd::operation_of(*conv);
    operation.flops_per_point = 2;
    operation.nest.operands.resize(2);
    return operation;
}

} // namespace

std::int64_t local_extent(const DimensionPlacement &dimension, const Mesh &mesh, const std::vector<int> &coordinates) {
    planrt::CutBlock cut = dimension.whole();
    for (int axis : dimension.axes)
        cut = planrt::cut_block(cut, mesh.sizes[axis], coordinates[axis]);
    return dimension.indices(cut).size();
}

bool is_even(const DimensionPlacement &dimension, const Mesh &mesh) {
    const std::int64_t parts = sharding::group_size(dimension.axes, mesh);
    return parts == 1 || (!dimension.window && dimension.extent % parts == 0);
}

KernelWork::KernelWork(mlir::Operation *op, ir::MeshAttr mesh, const Reuse &reuse)
    : mesh_(mesh), is_weight_format_(mlir::isa<ir::PackOp, ir::UnpackOp>(op)) {
    if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op))
        add_loops(loops, reuse);
    else if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
        add_nest(op, product(gemm), {}, reuse);
    else if (auto conv = mlir::dyn_cast<ir::ConvOp>(op))
        add_nest(op, convolution(conv), {}, reuse);
    else if (mlir::isa<ir::PermuteOp, ir::PackOp, ir::UnpackOp, ir::WriteOp>(op))
        add_copy(op, reuse);
    else
        add_nest(op, spmd::operation_of(*op), {}, reuse);
}

/// Each value from outside is loaded once, and each yielded value is stored once.
void KernelWork::add_loops(ir::LoopsOp loops, const Reuse &reuse) {
    mlir::Block &body = loops.getBody().front();
    mlir::Operation *yield = body.getTerminator();
    llvm::SmallPtrSet<mlir::Value, 8> loaded;
    bool rows = false;
    for (mlir::Operation &op : body.without_terminator()) {
        if (!schedule::is_loop(&op))
            continue;
        cost::Fused fused;
        for (mlir::Value operand : op.getOperands()) {
            const bool inside = operand.getParentBlock() == &body;
            fused.operands.push_back(inside || !loaded.insert(operand).second);
        }
        for (mlir::Value result : op.getResults())
            fused.results.push_back(!llvm::is_contained(yield->getOperands(), result));
        sharding::Operation operation = spmd::operation_of(op);
        if (cost::has_rows(operation.nest))
            fused.own_rows = !std::exchange(rows, true);
        add_nest(&op, std::move(operation), std::move(fused), reuse);
    }
}

void KernelWork::add_nest(mlir::Operation *op, sharding::Operation operation, cost::Fused fused, const Reuse &reuse) {
    Part part;
    const sharding::Nest &nest = operation.nest;
    part.loops.resize(nest.loops.size());
    const auto note = [&](mlir::Value value, const std::vector<int> &loops, int operand) {
        const planrt::Placement placement = ir::placement_of(tensor(value), mesh_);
        for (std::size_t d = 0; d < loops.size(); ++d) {
            DimensionPlacement dimension = placement.dimensions[d];
            const sharding::NestWindow *window =
                operand < 0 ? nullptr : nest.window(static_cast<std::size_t>(operand), d);
            if (window == nullptr) {
                part.loops[static_cast<std::size_t>(loops[d])].push_back(dimension);
            } else if (!dimension.axes.empty()) {
                if (!dimension.window) { // the rank's own block alone
                    dimension.window = sharding::window_of(*window, nest);
                    dimension.window->part = planrt::WindowPart::within;
                }
                part.windows.push_back(dimension);
            }
        }
        part.shares = std::max(part.shares, sharding::group_size(placement.stored, ir::mesh_of(mesh_)));
        sharding::Value added;
        added.element_bytes = element_bytes(value);
        return part.graph.values.push_back(std::move(added));
    };
    for (std::size_t i = 0; i < nest.operands.size(); ++i)
        operation.operands.push_back(
            note(op->getOperand(static_cast<unsigned>(i)), nest.operands[i], static_cast<int>(i)));
    for (std::size_t i = 0; i < nest.results.size(); ++i)
        operation.results.push_back(note(op->getResult(static_cast<unsigned>(i)), nest.results[i], -1));
    fused.operands.resize(nest.operands.size(), false);
    fused.results.resize(nest.results.size(), false);
    for (std::size_t i = 0; i < nest.operands.size(); ++i)
        fused.reuse.push_back(reuse.distance(op->getOpOperand(static_cast<unsigned>(i))));
    part.operation = std::move(operation);
    part.fused = std::move(fused);
    parts_.push_back(std::move(part));
}

void KernelWork::add_copy(mlir::Operation *op, const Reuse &reuse) {
    const mlir::Value value = op->getOperand(0);
    const planrt::Placement placement = ir::placement_of(tensor(value), mesh_);
    copied_ = placement.dimensions;
    copied_bytes_ =
        element_bytes(value) / static_cast<double>(sharding::group_size(placement.stored, ir::mesh_of(mesh_)));
    copied_from_ = reuse.distance(op->getOpOperand(0));
    if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
        copied_from_ = std::max(copied_from_, reuse.distance(write));
    copied_from_ = copied_from_ * (1 / static_cast<double>(sharding::group_size(placement.stored, ir::mesh_of(mesh_))));
}

/// The share of the pairs of a position and an element of its window whose element lies in the part.
double KernelWork::touched_share(const Part &part, const Mesh &mesh, const std::vector<int> &coordinates) {
    double share = 1;
    for (DimensionPlacement dimension : part.windows) {
        const auto touched = static_cast<double>(local_extent(dimension, mesh, coordinates));
        dimension.window->part = planrt::WindowPart::all;
        const std::int64_t all = local_extent(dimension, mesh, coordinates);
        share *= all > 0 ? touched / static_cast<double>(all) : 0;
    }
    return share;
}

cost::Seconds KernelWork::seconds(const std::vector<int> &coordinates, const Mesh &mesh,
                                  const cost::Machine &machine) const {
    cost::Seconds sum{};
    for (const Part &part : parts_) {
        std::vector<std::int64_t> extents;
        for (const Dimensions &dimensions : part.loops) {
            std::int64_t least = part.operation.nest.loops[extents.size()].extent;
            for (const DimensionPlacement &dimension : dimensions)
                least = std::min(least, local_extent(dimension, mesh, coordinates));
            extents.push_back(least);
        }
        sum += touched_share(part, mesh, coordinates) *
               cost::operation_seconds(part.graph, part.operation, extents, machine, part.shares, &part.fused);
    }
    if (copied_bytes_ > 0 && !(is_weight_format_ && cost::price_weight_formats(machine.kernels))) {
        double elements = 1;
        double whole = 1;
        for (const DimensionPlacement &dimension : copied_) {
            elements *= static_cast<double>(local_extent(dimension, mesh, coordinates));
            whole *= static_cast<double>(dimension.extent);
        }
        const cost::Bytes moved(2 * elements * copied_bytes_);
        const cost::Seconds transfer =
            cost::transfer_seconds(moved, std::max(moved, copied_from_ * (elements / whole)), machine);
        const auto &loops = machine.kernels.loops;
        sum += loops ? cost::loop_seconds(*loops, cost::Flops(0), transfer) : transfer;
    }
    return sum;
}

std::vector<DimensionPlacement> KernelWork::dimensions() const {
    Dimensions all = copied_;
    for (const Part &part : parts_) {
        for (const Dimensions &dimensions : part.loops)
            all.insert(all.end(), dimensions.begin(), dimensions.end());
        for (DimensionPlacement dimension : part.windows) {
            all.push_back(dimension);
            dimension.window->part = planrt::WindowPart::all;
            all.push_back(dimension);
        }
    }
    return all;
}

} // namespace planc::timeline
