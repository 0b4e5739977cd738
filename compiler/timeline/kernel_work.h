// The seconds of one kernel of the schedule on one rank, by the cost model's own functions (cost/kernels/compute.h),
// from the kernel's loop nest and the rank's blocks.
//
// A fused loop is the sum of its operations, each under the roofline. Which values stay out of memory is read off the
// loop itself. Permutations, copies and other formats of weights move each element once in and once out; the formats
// are free if measured rates of convolutions include them.
#pragma once

#include "cost/kernels/compute.h"
#include "ir/plan_dialect.h"
#include "timeline/reuse.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/layout.h>

#include <utility>
#include <vector>

namespace planc::timeline {

/// The number of indices of a dimension that a rank has.
[[nodiscard]] std::int64_t local_extent(const planrt::DimensionPlacement &dimension, const planrt::Mesh &mesh,
                                        const std::vector<int> &coordinates);
/// Whether all ranks have equally many.
[[nodiscard]] bool is_even(const planrt::DimensionPlacement &dimension, const planrt::Mesh &mesh);

/// Whether it only copies: into another order of dimensions, another format, a variable.
[[nodiscard]] bool is_copy(mlir::Operation *op);

class KernelWork {
  public:
    /// `op`: a kernel or plan.loops (schedule/functions.h), or plan.write where the value must be copied.
    KernelWork(mlir::Operation *op, ir::MeshAttr mesh, const Reuse &reuse);

    [[nodiscard]] cost::Seconds seconds(const std::vector<int> &coordinates, const planrt::Mesh &mesh,
                                        const cost::Machine &machine) const;

    /// The dimensions whose blocks determine its time.
    [[nodiscard]] std::vector<planrt::DimensionPlacement> dimensions() const;

    /// What it consists of, each with the operation of the schedule that it comes from.
    [[nodiscard]] std::vector<std::pair<mlir::Operation *, sharding::Part>> parts() const;

  private:
    using Dimensions = std::vector<planrt::DimensionPlacement>;
    struct Placed {
        mlir::Operation *op = nullptr;
        sharding::Part part;
        std::vector<Dimensions> loops; ///< per loop of the nest, the dimensions that it indexes; the smallest limits it
        Dimensions windows;            ///< only a part of which is touched
        std::int64_t shares = 1;       ///< the rank executes one of this many parts

        /// The sizes of the axes that cut a loop.
        [[nodiscard]] std::vector<int> cuts_of(int loop, const planrt::Mesh &mesh) const;
    };

    /// What an operation of a fused loop need not do, because others of the loop do it.
    struct InLoop {
        std::vector<bool> loads;  ///< per operand
        std::vector<bool> stores; ///< per result
        bool own_rows = true;
    };

    void add_loops(ir::LoopsOp loops, const Reuse &reuse);
    /// Every tensor of the part goes through memory unless `in_loop` says otherwise.
    void add_nest(mlir::Operation *op, const sharding::Operation &operation, const Reuse &reuse,
                  const InLoop *in_loop = nullptr);
    void add_copy(mlir::Operation *op, const Reuse &reuse);
    [[nodiscard]] static double touched_share(const Placed &part, const planrt::Mesh &mesh,
                                              const std::vector<int> &coordinates);

    ir::MeshAttr mesh_;
    std::vector<Placed> parts_;
};

} // namespace planc::timeline
