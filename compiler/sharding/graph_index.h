// Facts about a graph that lay_out() needs again and again and that do not depend on strategies: who reads a value,
// which operations may pass partial sums on, and which variable decides where an update runs.
#pragma once

#include "sharding/graph.h"

#include <vector>

namespace planc::sharding {

struct Use {
    OperationId operation;
    int operand = -1;
};

/// A placement that follows from the home of parameter `root`: dimension (or loop) i is split like dimension
/// root_dimension[i] of the root; -1: not split. They correspond by role and extent. No root: no parameter decides.
struct Anchor {
    ValueId root;
    std::vector<int> root_dimension;
};

/// Whether every tensor of the nest has all loops in the same order, or none. Then its iterations can be split as
/// stored tensors are.
[[nodiscard]] bool is_flat(const Nest &nest);

/// The part of the step in which an operation runs. A sharded parameter is gathered in each part that needs it, so that
/// it need not be kept in between.
enum class Pass : std::uint8_t { forward, backward, update };

struct GraphIndex {
    /// The graph must outlive the index and not change.
    explicit GraphIndex(const Graph &graph);

    const Graph &graph;
    PerValue<std::vector<Use>> uses; ///< in execution order
    PerValue<bool> is_output;
    PerValue<bool> is_sent;
    PerValue<ValueId> stored_in; ///< the variable that it is written to, or none
    PerValue<Use> reader;        ///< of a variable: the first use that follows no parameter
    PerOperation<Pass> pass;
    PerValue<bool> may_be_partial;         ///< under some strategy
    PerOperation<bool> may_pass_partial;   ///< under some strategy
    PerValue<ValueId> companion;           ///< see companions() (sharding/joint_sums.h)
    PerValue<Anchor> value_anchor;         ///< of a variable without a reader (optimizer state): by dimension
    PerOperation<Anchor> operation_anchor; ///< of one that follows a parameter: by loop

  private:
    void find_uses();
    void find_passes();
    void find_partial_sums();
    void find_anchors();
};

} // namespace planc::sharding
