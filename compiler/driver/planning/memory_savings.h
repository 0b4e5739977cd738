// What saves memory in exchange for time and says so in the training step itself: micro-batches and recomputation.
#pragma once

#include "sema/program.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::driver {

struct MemorySavings {
    std::int64_t microbatches = 1;
    std::vector<std::string> recompute; ///< selectors of layers; "" for all

    [[nodiscard]] bool any() const { return microbatches > 1 || !recompute.empty(); }
    bool operator==(const MemorySavings &) const = default;
};

/// For reports: "4 micro-batches", "activations of block* recomputed".
[[nodiscard]] std::vector<std::string> words(const MemorySavings &savings);

/// Those that the rules of a layout ask for; none without a layout.
[[nodiscard]] MemorySavings savings_of(const sema::Layout *layout);

/// What a search may try in this order under a limit of memory, the least costly first, each beyond what is pinned:
/// recomputation of all layers, 2, 4, 8, … micro-batches, and both. `batch` is the number of samples.
[[nodiscard]] std::vector<MemorySavings> further_savings(const MemorySavings &pinned, std::int64_t batch);

/// Writes them into the module, for the pass derive-training-step: `plan.microbatches`, and `plan.recompute` with the
/// group of each layer of `network`: the part of its path that a selector matches, the first name for "".
void set_savings(mlir::ModuleOp module, const sema::Network &network, const MemorySavings &savings);

} // namespace planc::driver
