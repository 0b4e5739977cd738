// Follows the values of a scheduled program through the arena, operation by operation: see buffers.h. Nothing is
// checked for a program without offsets.
#pragma once

#include "interpret/buffers.h"
#include "interpret/layouts.h"
#include "ir/plan_dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace planc::interpret {

/// The slots of the arena: see program::Role.
struct Slots {
    int count = 1;
    std::int64_t offset = 0;
    std::int64_t bytes = 0; ///< of one; 0: there are none
};

/// The scratch into which ranks pack the values that they send.
struct Scratch {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};

class Places {
  public:
    /// Places the variables of a role, if the module has an arena.
    Places(mlir::ModuleOp module, int role, const Slots &slots, Layouts &layouts);

    /// Values that lie in slots are placed in this slot from now on.
    void set_slot(int slot) { slot_ = slot; }
    /// The place of a value that passes from body to body.
    [[nodiscard]] std::optional<int> place_of(mlir::Value value) const;
    /// Writes a value that no operation makes: it is loaded, or received.
    void write_value(mlir::Value value, std::int64_t offset, const std::string &name);
    void set_place(mlir::Value value, int place) { places_[value] = place; }
    void read_place(int place) const;
    /// Begins a transfer: from now on nothing may write the sent values or touch the received ones.
    void start_transfer(int transfer, const std::vector<int> &sent, std::vector<int> received, const Scratch &scratch);
    void wait_transfer(int transfer);

    void place_arguments(mlir::func::FuncOp function);

    /// Checks that what the operation reads from the arena is still there. A fused loop reads what its body reads.
    void before(mlir::Operation &op);
    /// Records its results at their places.
    void after(mlir::Operation &op);

    /// The buffer of `value` is that of `other`.
    void same(mlir::Value value, mlir::Value other);
    void read_variable(ir::ReadOp op);
    void write_variable(ir::WriteOp op);
    void start(ir::StartOp op);
    void wait(ir::WaitOp op);

    /// Checks at the end that results and variables are still there.
    void check_end(mlir::ValueRange results) const;
    /// Marks sums over micro-batches as no longer needed at the end of the step.
    void spend_sums();

  private:
    int write(std::int64_t offset, ir::TensorType type, const std::string &name);
    [[nodiscard]] std::int64_t in_slot(std::int64_t offset) const;
    /// The number of a collective, or of a transfer, in the current slot.
    [[nodiscard]] std::int64_t key(std::int64_t number) const { return number * slots_.count + slot_; }
    [[nodiscard]] static std::int64_t transfer_number(int transfer) { return (std::int64_t{1} << 32) + transfer; }
    void check(mlir::Value value) const;

    Layouts &layouts_;
    Slots slots_;
    int slot_ = 0;
    std::optional<Buffers> buffers_;
    llvm::DenseMap<mlir::Value, int> places_;
    std::map<std::string, int> variables_;
    std::map<std::string, std::int64_t> variable_offsets_;
    std::set<std::string> sums_;  ///< accumulators
    std::set<std::string> spent_; ///< those that are no longer needed: until they are written, their places may be used
};

} // namespace planc::interpret
