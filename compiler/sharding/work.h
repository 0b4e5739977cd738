// What runs for an operation: kernels, and operations in fused loops. Cost model and timeline price these parts by the
// same function (cost/kernels/compute.h); the planner knows them before any plan (timeline/work_of_step.h).
#pragma once

#include "sharding/nest.h"
#include "support/units.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace planc::sharding {

enum class Kernel : std::uint8_t {
    contraction,
    pointwise,
    reduction,
    window,        ///< slides windows over its operands and is not fused: pools
    look_up,       ///< reads at most as many elements of its operands as the result has
    attention,     ///< scores and the products with them, tile by tile (planrt/attention.h)
    sparse_product ///< visits the entries of a sparse matrix (Nest::sparse)
};

struct Part {
    struct Tensor {
        int element_bytes = 4;
        bool in_memory = true; ///< else the loop makes the value itself, or has loaded it already
        /// Of an operand: the bytes that a rank with the whole tensors moves between its last use and this one.
        /// None: what the part itself moves.
        std::optional<support::Bytes> reuse = {};
        int of = -1; ///< the operand or result of the operation that it is; -1: a number, what parts pass on, unknown
    };
    Kernel kernel = Kernel::pointwise;
    Nest nest;
    double flops_per_point = 1; ///< per point of the nest: 2 for a multiply-add
    std::vector<Tensor> operands;
    std::vector<Tensor> results;
    bool own_rows = true;       ///< pays for its rows (cost/kernels/kernels.h): the first of fused loops that has some
    bool weight_format = false; ///< copies weights into or out of the format of a convolution
    std::vector<int> loops;     ///< per loop of the nest, the operation's; -1: it has none like it, and this is whole
};

struct Work {
    std::vector<Part> parts; ///< none: nothing runs for the operation
    /// Of a sum that a product makes while it adds to a variable (schedule/accumulate_products): what runs if a
    /// collective comes between the two. It does if an axis does not split an update, or stores a sum over
    /// micro-batches.
    std::vector<Part> without_product = {};
    /// Of a reduction in a fused loop that uses its result: what goes through memory in addition if a split of its sum
    /// cuts the loop in two (timeline/loop_cuts.h).
    std::vector<Part> cuts = {};
};

/// Work that copies of a graph share until one changes its own.
class SharedWork {
  public:
    SharedWork() : SharedWork(Work()) {}
    SharedWork(Work work) : work_(std::make_shared<Work>(std::move(work))) {}
    operator const Work &() const { return *work_; }
    [[nodiscard]] const Work &get() const { return *work_; }
    const Work *operator->() const { return work_.get(); }
    /// For one thread: whoever else shares the work only reads it.
    [[nodiscard]] Work &own() {
        if (work_.use_count() > 1)
            work_ = std::make_shared<Work>(*work_);
        return *work_;
    }

  private:
    std::shared_ptr<Work> work_;
};

} // namespace planc::sharding
