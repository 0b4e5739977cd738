#include "schedule/buffers.h"

#include "ir/collective_kind.h"
#include "ir/method.h"
#include "ir/placement.h"
#include "schedule/arena.h"
#include "schedule/convolution.h"
#include "schedule/functions.h"
#include "schedule/staged.h"

#include <planrt/scratch.h>

#include <algorithm>

namespace planc::schedule {

int64_t offset_of(mlir::Value value) {
    const mlir::Value root = buffer_root(value);
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(root)) {
        auto function = mlir::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
        return function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), "plan.offset").getInt();
    }
    mlir::Operation *op = root.getDefiningOp();
    if (mlir::isa<ir::ReadOp>(op))
        return op->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
    const auto offsets = op->getAttrOfType<mlir::DenseI64ArrayAttr>("offsets");
    return offsets[mlir::cast<mlir::OpResult>(root).getResultNumber()];
}

mlir::Value buffer_root(mlir::Value value) {
    while (mlir::Operation *op = value.getDefiningOp()) {
        if (auto view = mlir::dyn_cast<ir::ViewOp>(op))
            value = view.getOperand();
        else if (auto wait = mlir::dyn_cast<ir::WaitOp>(op))
            value = wait.getPending()[mlir::cast<mlir::OpResult>(value).getResultNumber()];
        else
            break;
    }
    return value;
}

int64_t buffer_bytes(ir::TensorType type, ir::MeshAttr mesh) {
    const int64_t element = type.getElementType().getIntOrFloatBitWidth() / 8;
    return planrt::largest_volume(ir::placement_of(type, mesh), ir::mesh_of(mesh)) * element;
}

/// The place of the second piece begins where the first ends, so it is aligned as its elements are.
static int64_t bytes_of_pieces(ir::StartOp start, ir::MeshAttr mesh) {
    const planrt::StagedMemory memory = *staged_memory(start, mesh);
    return memory.pieces * memory.piece *
           (tensor(start.getResults().front()).getElementType().getIntOrFloatBitWidth() / 8);
}

int64_t buffer_bytes(mlir::Value value, ir::MeshAttr mesh) {
    if (auto start = value.getDefiningOp<ir::StartOp>(); start && start->hasAttr(staged_attribute))
        return bytes_of_pieces(start, mesh);
    if (ir::ConvOp conv = format_of(value))
        return packed_elements(conv, mesh) * (tensor(value).getElementType().getIntOrFloatBitWidth() / 8);
    return buffer_bytes(tensor(value), mesh);
}

static int64_t message_scratch_bytes(ir::StartOp start, planrt::CollectiveKind kind, const planrt::Method &method,
                                     ir::MeshAttr mesh) {
    std::vector<planrt::MovedTensor> tensors;
    for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
        tensors.push_back({ir::placement_of(tensor(from), mesh), ir::placement_of(tensor(to), mesh)});
    std::vector<int> axes;
    for (mlir::Attribute axis : start.getAxes())
        axes.push_back(ir::axis_index(mesh, mlir::cast<mlir::StringAttr>(axis)));
    const int64_t element = tensor(start.getInputs().front()).getElementType().getIntOrFloatBitWidth() / 8;
    return element * planrt::largest_scratch_elements(kind, method, axes, tensors, ir::mesh_of(mesh));
}

int64_t ScratchSizes::elements(planrt::CollectiveKind kind, ir::TensorType from, ir::TensorType to, ir::MeshAttr mesh) {
    const auto [known, is_new] = known_.try_emplace({static_cast<int>(kind), from, to, mesh}, 0);
    if (is_new)
        known->second = planrt::largest_scratch_elements(kind, ir::placement_of(from, mesh), ir::placement_of(to, mesh),
                                                         ir::mesh_of(mesh));
    return known->second;
}

int64_t ScratchSizes::bytes(ir::StartOp start, ir::MeshAttr mesh) {
    if (start->hasAttr(staged_attribute))
        return staged_memory(start, mesh)->scratch *
               (tensor(start.getInputs().front()).getElementType().getIntOrFloatBitWidth() / 8);
    const planrt::CollectiveKind kind = ir::collective_kind(start.getKind()).value();
    if (const planrt::Method method = ir::method_of(start); method.algorithm != planrt::Algorithm::mpi)
        return message_scratch_bytes(start, kind, method, mesh);
    if (kind == planrt::CollectiveKind::all_reduce && start.getInputs().size() == 1)
        return 0; // reduced in place
    int64_t bytes = 0;
    for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
        bytes +=
            tensor(from).getElementType().getIntOrFloatBitWidth() / 8 * elements(kind, tensor(from), tensor(to), mesh);
    return bytes;
}

std::vector<std::int64_t> arenas(mlir::ModuleOp module) {
    if (const auto of_roles = module->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.arenas"))
        return {of_roles.asArrayRef().begin(), of_roles.asArrayRef().end()};
    return {module->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes").getInt()};
}

void set_arenas(mlir::ModuleOp module, const std::vector<std::int64_t> &bytes) {
    mlir::Builder builder(module.getContext());
    module->setAttr("plan.arena_bytes", builder.getI64IntegerAttr(*std::max_element(bytes.begin(), bytes.end())));
    if (bytes.size() > 1)
        module->setAttr("plan.arenas", builder.getDenseI64ArrayAttr(bytes));
}

} // namespace planc::schedule
