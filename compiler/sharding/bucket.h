// Buckets: small gradients, and norms of them, that are reduced over the same axes share one call.
//
// One deterministic rule serves the cost model, which prices a bucket's latency once, and the schedule, which emits the
// call. Example: the biases of a batch-parallel perceptron, 1 KiB each, are one all-reduce in each step.
#pragma once

#include "sharding/lay_out.h"

#include <cstdint>
#include <vector>

namespace planc::sharding {

/// A larger gradient has its own call, which starts as soon as the gradient is complete.
inline constexpr std::int64_t largest_fused_bytes = 256 * 1024;
/// A bucket is closed before it exceeds this size, so that later gradients do not wait for the whole backward pass.
inline constexpr std::int64_t largest_bucket_bytes = 4 * 1024 * 1024;

struct BucketMember {
    ValueId value;
    int copy = 0; ///< of the value; its only step is the all-reduce
};

struct Bucket {
    std::vector<int> axes;
    std::vector<BucketMember> members; ///< two or more, in the order in which they are produced
    std::int64_t bytes = 0;            ///< together, on the rank with the largest blocks
};

/// Whether this copy may join a bucket: it is one all-reduce by sum, for the update (of a weight gradient, or of a
/// scalar on the way to a norm), of at most largest_fused_bytes.
[[nodiscard]] bool fusable(const Graph &graph, const Mesh &mesh, ValueId value, const Copy &copy);

/// The buckets, in the order in which their last members are produced. The members of a bucket have the same axes and
/// element size, and all are produced before any of them is used.
[[nodiscard]] std::vector<Bucket> buckets(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh);

} // namespace planc::sharding
