#include "interpret/places.h"

#include "interpret/interpret.h"
#include "ir/layer_builder.h"
#include "schedule/buffers.h"
#include "schedule/staged.h"
#include "schedule/step_program.h"

#include <algorithm>

namespace planc::interpret {

using ir::type_of;

namespace {

/// The name of an operation's result in messages: "gemm of h1 (forward)".
std::string name_of(mlir::Operation *op) {
    std::string name = op->getName().stripDialect().str();
    if (const auto layer = op->getAttrOfType<mlir::StringAttr>("layer"))
        name += " of " + layer.str();
    if (const auto phase = op->getAttrOfType<mlir::StringAttr>("phase"))
        name += " (" + phase.str() + ")";
    return name;
}

} // namespace

Places::Places(mlir::ModuleOp module, int role, const Slots &slots, Layouts &layouts)
    : layouts_(layouts), slots_(slots) {
    if (!module->hasAttr("plan.arena_bytes"))
        return;
    const std::vector<std::int64_t> arenas = schedule::arenas(module);
    buffers_.emplace(arenas[arenas.size() > 1 ? static_cast<std::size_t>(role) : 0]);
    for (auto op : module.getOps<ir::VariableOp>()) {
        if (schedule::role_of(op) != role)
            continue;
        const std::string name = op.getSymName().str();
        if (op->hasAttr("accumulator"))
            sums_.insert(name);
        variable_offsets_[name] = op->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
        variables_[name] =
            write(variable_offsets_[name], mlir::cast<ir::TensorType>(op.getType()), "variable '" + name + "'");
    }
    spent_ = sums_;
}

int Places::write(std::int64_t offset, ir::TensorType type, const std::string &name) {
    const std::int64_t elements = planrt::largest_volume(layouts_.of(type).placement, layouts_.mesh());
    return buffers_->write(in_slot(offset), elements * element_bytes(type), name);
}

std::int64_t Places::in_slot(std::int64_t offset) const {
    const bool inside = offset >= slots_.offset && offset < slots_.offset + slots_.bytes;
    return inside ? offset + slot_ * slots_.bytes : offset;
}

std::optional<int> Places::place_of(mlir::Value value) const {
    const auto at = places_.find(value);
    return at == places_.end() ? std::nullopt : std::optional(at->second);
}

void Places::write_value(mlir::Value value, std::int64_t offset, const std::string &name) {
    if (buffers_)
        places_[value] = write(offset, type_of(value), name);
}

void Places::read_place(int place) const {
    if (buffers_)
        buffers_->read(place);
}

void Places::start_transfer(int transfer, const std::vector<int> &sent, std::vector<int> received,
                            const Scratch &scratch) {
    if (!buffers_)
        return;
    if (scratch.bytes > 0)
        received.push_back(buffers_->write(in_slot(scratch.offset), scratch.bytes, "scratch of a transfer"));
    buffers_->start(key(transfer_number(transfer)), sent, received);
}

void Places::wait_transfer(int transfer) {
    if (buffers_)
        buffers_->wait(key(transfer_number(transfer)));
}

void Places::check(mlir::Value value) const {
    if (const auto at = places_.find(value); at != places_.end())
        buffers_->read(at->second);
}

void Places::place_arguments(mlir::func::FuncOp function) {
    if (!buffers_)
        return;
    for (mlir::BlockArgument argument : function.getArguments()) {
        const unsigned number = argument.getArgNumber();
        if (const auto offset = function.getArgAttrOfType<mlir::IntegerAttr>(number, "plan.offset"))
            places_[argument] = write(offset.getInt(), type_of(argument), "input " + std::to_string(number));
    }
}

void Places::before(mlir::Operation &op) {
    if (!buffers_ || mlir::isa<ir::ViewOp, ir::WaitOp, mlir::func::ReturnOp>(op))
        return;
    for (mlir::Value operand : op.getOperands())
        check(operand);
}

void Places::after(mlir::Operation &op) {
    if (!buffers_ || mlir::isa<ir::StartOp>(op))
        return;
    const auto offsets = op.getAttrOfType<mlir::DenseI64ArrayAttr>("offsets");
    if (!offsets)
        return;
    for (auto [result, offset] : llvm::zip(op.getResults(), offsets.asArrayRef()))
        places_[result] = write(offset, type_of(result), name_of(&op));
}

void Places::same(mlir::Value value, mlir::Value other) {
    if (const auto at = places_.find(other); at != places_.end()) {
        const int number = at->second;
        places_[value] = number;
    }
}

void Places::read_variable(ir::ReadOp op) {
    if (!buffers_)
        return;
    const auto own = variables_.find(op.getVariable().str());
    if (own == variables_.end())
        throw Failure("'" + op.getVariable().str() + "' is a variable of another role");
    places_[op.getResult()] = own->second;
}

/// Updates are mostly made in the variable's own place; otherwise the value is copied there.
void Places::write_variable(ir::WriteOp op) {
    if (!buffers_)
        return;
    const std::string name = op.getVariable().str();
    const auto value = places_.find(op.getValue());
    if (value == places_.end())
        return; // of a function without places
    spent_.erase(name);
    const bool in_place = buffers_->offset(value->second) == variable_offsets_.at(name);
    variables_[name] =
        in_place ? value->second : write(variable_offsets_.at(name), type_of(op.getValue()), "variable '" + name + "'");
}

void Places::start(ir::StartOp op) {
    const auto offsets = op->getAttrOfType<mlir::DenseI64ArrayAttr>("offsets");
    if (!buffers_ || !offsets)
        return;
    std::vector<int> inputs;
    std::vector<int> outputs;
    for (mlir::Value input : op.getInputs())
        inputs.push_back(places_.lookup(input));
    for (auto [result, offset] : llvm::zip(op.getResults(), offsets.asArrayRef()))
        outputs.push_back(
            places_[result] =
                op->hasAttr(schedule::staged_attribute)
                    ? buffers_->write(in_slot(offset), schedule::buffer_bytes(result, layouts_.axes()), name_of(op))
                    : write(offset, type_of(result), name_of(op)));
    if (const auto scratch = op->getAttrOfType<mlir::IntegerAttr>("scratch_offset"))
        outputs.push_back(buffers_->write(in_slot(scratch.getInt()),
                                          op->getAttrOfType<mlir::IntegerAttr>("scratch_bytes").getInt(),
                                          "scratch of collective " + std::to_string(op.getNumber())));
    for (const int input : inputs) { // reduced in place, or still whole
        const auto same = [&](int output) { return buffers_->offset(output) == buffers_->offset(input); };
        if (std::none_of(outputs.begin(), outputs.end(), same))
            buffers_->read(input);
    }
    buffers_->start(key(static_cast<std::int64_t>(op.getNumber())), inputs, outputs);
}

void Places::wait(ir::WaitOp op) {
    if (buffers_)
        buffers_->wait(key(static_cast<std::int64_t>(op.getNumber())));
}

void Places::spend_sums() {
    spent_ = sums_;
}

void Places::check_end(mlir::ValueRange results) const {
    if (!buffers_)
        return;
    for (mlir::Value value : results)
        check(value);
    for (const auto &[name, number] : variables_)
        if (!spent_.contains(name))
            buffers_->read(number);
}

} // namespace planc::interpret
