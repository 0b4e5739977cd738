// The seconds of one kernel of the schedule on one rank, by the cost model's own functions (cost/kernels/compute.h),
// from the kernel's loop nest and the rank's blocks.
//
// A fused loop is the sum of its operations, each under the roofline as in cost::price(). Which values stay out of
// memory is read off the loop itself, while the price estimates it (cost::fusion()). Permutations, copies and other
// formats of weights, which the price leaves out, move each element once in and once out; the formats are free if
// measured rates of convolutions include them.
#pragma once

#include "cost/kernels/compute.h"
#include "ir/plan_dialect.h"
#include "timeline/reuse.h"

#include "mlir/IR/BuiltinOps.h"

#include <planrt/layout.h>

#include <vector>

namespace planc::timeline {

/// The number of indices of a dimension that a rank has.
[[nodiscard]] std::int64_t local_extent(const planrt::DimensionPlacement &dimension, const planrt::Mesh &mesh,
                                        const std::vector<int> &coordinates);
/// Whether all ranks have equally many.
[[nodiscard]] bool is_even(const planrt::DimensionPlacement &dimension, const planrt::Mesh &mesh);

class KernelWork {
  public:
    /// `op`: a kernel or plan.loops (schedule/functions.h), or plan.write where the value must be copied.
    KernelWork(mlir::Operation *op, ir::MeshAttr mesh, const Reuse &reuse);

    [[nodiscard]] cost::Seconds seconds(const std::vector<int> &coordinates, const planrt::Mesh &mesh,
                                        const cost::Machine &machine) const;

    /// The dimensions whose blocks determine its time.
    [[nodiscard]] std::vector<planrt::DimensionPlacement> dimensions() const;

  private:
    using Dimensions = std::vector<planrt::DimensionPlacement>;
    /// An operation with a nest.
    struct Part {
        sharding::Graph graph; ///< values alone, numbered as its operands and results
        sharding::Operation operation;
        cost::Fused fused;
        std::vector<Dimensions> loops; ///< per loop of the nest, the dimensions that it indexes; the smallest limits it
        Dimensions windows;            ///< only a part of which is touched
        std::int64_t shares = 1;       ///< the rank executes one of this many parts
    };

    void add_loops(ir::LoopsOp loops, const Reuse &reuse);
    void add_nest(mlir::Operation *op, sharding::Operation operation, cost::Fused fused, const Reuse &reuse);
    void add_copy(mlir::Operation *op, const Reuse &reuse);
    [[nodiscard]] static double touched_share(const Part &part, const planrt::Mesh &mesh,
                                              const std::vector<int> &coordinates);

    ir::MeshAttr mesh_;
    bool is_weight_format_ = false;
    std::vector<Part> parts_;
    Dimensions copied_;
    cost::Bytes copied_from_{}; ///< reuse distance of the farther of source and target, for whole tensors; of sharded
                                ///< ones for one share
    double copied_bytes_ = 0;   ///< per element; of sharded tensors for one rank; 0: nothing is copied
};

} // namespace planc::timeline
