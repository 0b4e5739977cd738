#include "timeline/kernel_work.h"

#include "cost/kernels/kernels.h"
#include "ir/placement.h"
#include "ir/pointwise.h"
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

bool is_copy(mlir::Operation *op) {
    return mlir::isa<ir::PermuteOp, ir::PackOp, ir::UnpackOp, ir::WriteOp>(op);
}

bool is_even(const DimensionPlacement &dimension, const Mesh &mesh) {
    const std::int64_t parts = sharding::group_size(dimension.axes, mesh);
    return parts == 1 || (!dimension.window && dimension.extent % parts == 0);
}

KernelWork::KernelWork(mlir::Operation *op, ir::MeshAttr mesh, const Reuse &reuse) : mesh_(mesh) {
    if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op))
        add_loops(loops, reuse);
    else if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
        add_nest(op, product(gemm), reuse);
    else if (auto conv = mlir::dyn_cast<ir::ConvOp>(op))
        add_nest(op, convolution(conv), reuse);
    else if (is_copy(op))
        add_copy(op, reuse);
    else
        add_nest(op, spmd::operation_of(*op), reuse);
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
        InLoop in_loop;
        for (mlir::Value operand : op.getOperands())
            in_loop.loads.push_back(operand.getParentBlock() != &body && loaded.insert(operand).second);
        for (mlir::Value result : op.getResults())
            in_loop.stores.push_back(llvm::is_contained(yield->getOperands(), result));
        sharding::Operation operation = spmd::operation_of(op);
        for (mlir::Value operand : op.getOperands())
            if (operand.getDefiningOp<ir::RandomOp>()) // has no nest of its own
                operation.flops_per_point += ir::flops_of_random;
        if (cost::has_rows(operation.nest))
            in_loop.own_rows = !std::exchange(rows, true);
        add_nest(&op, operation, reuse, &in_loop);
    }
}

void KernelWork::add_nest(mlir::Operation *op, const sharding::Operation &operation, const Reuse &reuse,
                          const InLoop *in_loop) {
    Placed placed;
    placed.op = op;
    sharding::Part &part = placed.part;
    part.kernel = operation.kernel;
    part.nest = operation.nest;
    part.flops_per_point = operation.flops_per_point;
    part.own_rows = in_loop == nullptr || in_loop->own_rows;
    const sharding::Nest &nest = part.nest;
    placed.loops.resize(nest.loops.size());
    const auto note = [&](mlir::Value value, const std::vector<int> &loops, int operand) {
        const planrt::Placement placement = ir::placement_of(tensor(value), mesh_);
        for (std::size_t d = 0; d < loops.size(); ++d) {
            DimensionPlacement dimension = placement.dimensions[d];
            const sharding::NestWindow *window =
                operand < 0 ? nullptr : nest.window(static_cast<std::size_t>(operand), d);
            if (window == nullptr) {
                placed.loops[static_cast<std::size_t>(loops[d])].push_back(dimension);
            } else if (!dimension.axes.empty()) {
                if (!dimension.window) { // the rank's own block alone
                    dimension.window = sharding::window_of(*window, nest);
                    dimension.window->part = planrt::WindowPart::within;
                }
                placed.windows.push_back(dimension);
            }
        }
        placed.shares = std::max(placed.shares, sharding::group_size(placement.stored, ir::mesh_of(mesh_)));
    };
    for (std::size_t i = 0; i < nest.operands.size(); ++i) {
        mlir::OpOperand &operand = op->getOpOperand(static_cast<unsigned>(i));
        note(operand.get(), nest.operands[i], static_cast<int>(i));
        part.operands.push_back(
            {element_bytes(operand.get()), in_loop == nullptr || in_loop->loads[i], reuse.distance(operand)});
    }
    for (std::size_t i = 0; i < nest.results.size(); ++i) {
        const mlir::Value result = op->getResult(static_cast<unsigned>(i));
        note(result, nest.results[i], -1);
        part.results.push_back({element_bytes(result), in_loop == nullptr || in_loop->stores[i], {}});
    }
    parts_.push_back(std::move(placed));
}

/// The source and the target are as far as the farther of them.
void KernelWork::add_copy(mlir::Operation *op, const Reuse &reuse) {
    const mlir::Value value = op->getOperand(0);
    const ir::TensorType type = tensor(value);
    const planrt::Placement placement = ir::placement_of(type, mesh_);
    Placed placed;
    placed.op = op;
    sharding::Part &part = placed.part;
    part.flops_per_point = 0;
    part.weight_format = mlir::isa<ir::PackOp, ir::UnpackOp>(op);
    double moved = 2 * element_bytes(value);
    std::vector<int> loops;
    for (auto [role, dimension] : llvm::zip(type.getRoles(), placement.dimensions)) {
        loops.push_back(static_cast<int>(loops.size()));
        part.nest.loops.push_back({role.str(), dimension.extent});
        placed.loops.push_back({dimension});
        moved *= static_cast<double>(dimension.extent);
    }
    part.nest.operands = {loops};
    part.nest.results = {loops};
    placed.shares = sharding::group_size(placement.stored, ir::mesh_of(mesh_));
    cost::Bytes from = std::max(cost::Bytes(moved), reuse.distance(op->getOpOperand(0)));
    if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
        from = std::max(from, reuse.distance(write));
    part.operands = {{element_bytes(value), true, from}};
    part.results = {{element_bytes(value)}};
    parts_.push_back(std::move(placed));
}

/// The share of the pairs of a position and an element of its window whose element lies in the part.
double KernelWork::touched_share(const Placed &part, const Mesh &mesh, const std::vector<int> &coordinates) {
    double share = 1;
    for (DimensionPlacement dimension : part.windows) {
        const auto touched = static_cast<double>(local_extent(dimension, mesh, coordinates));
        dimension.window->part = planrt::WindowPart::all;
        const std::int64_t all = local_extent(dimension, mesh, coordinates);
        share *= all > 0 ? touched / static_cast<double>(all) : 0;
    }
    return share;
}

std::vector<int> KernelWork::Placed::cuts_of(int loop, const Mesh &mesh) const {
    std::vector<int> sizes;
    for (const DimensionPlacement &dimension : loops[static_cast<std::size_t>(loop)]) {
        const int others = dimension.is_sparse() ? dimension.window->row_cuts : 0; // these cut the rows of the matrix
        std::vector<int> cuts;
        for (std::size_t axis = static_cast<std::size_t>(others); axis < dimension.axes.size(); ++axis)
            if (const int size = mesh.sizes[static_cast<std::size_t>(dimension.axes[axis])]; size > 1)
                cuts.push_back(size);
        if (cuts.size() > sizes.size())
            sizes = std::move(cuts);
    }
    return sizes;
}

cost::Seconds KernelWork::seconds(const std::vector<int> &coordinates, const Mesh &mesh,
                                  const cost::Machine &machine) const {
    cost::Seconds sum{};
    for (const Placed &placed : parts_) {
        std::vector<std::int64_t> extents;
        for (const Dimensions &dimensions : placed.loops) {
            std::int64_t least = placed.part.nest.loops[extents.size()].extent;
            for (const DimensionPlacement &dimension : dimensions)
                least = std::min(least, local_extent(dimension, mesh, coordinates));
            extents.push_back(least);
        }
        const auto &sparse = placed.part.nest.sparse;
        const cost::Seconds seconds =
            sparse && sparse->matrix != 0
                ? cost::part_seconds(cost::busiest(placed.part, placed.cuts_of(sparse->outer, mesh),
                                                   placed.cuts_of(sparse->inner, mesh), extents),
                                     extents, machine, placed.shares)
                : cost::part_seconds(placed.part, extents, machine, placed.shares);
        sum += touched_share(placed, mesh, coordinates) * seconds;
    }
    return sum;
}

std::vector<DimensionPlacement> KernelWork::dimensions() const {
    Dimensions all;
    for (const Placed &placed : parts_) {
        for (const Dimensions &dimensions : placed.loops)
            all.insert(all.end(), dimensions.begin(), dimensions.end());
        for (DimensionPlacement dimension : placed.windows) {
            all.push_back(dimension);
            dimension.window->part = planrt::WindowPart::all;
            all.push_back(dimension);
        }
    }
    return all;
}

std::vector<std::pair<mlir::Operation *, sharding::Part>> KernelWork::parts() const {
    std::vector<std::pair<mlir::Operation *, sharding::Part>> parts;
    for (const Placed &placed : parts_)
        parts.emplace_back(placed.op, placed.part);
    return parts;
}

} // namespace planc::timeline
