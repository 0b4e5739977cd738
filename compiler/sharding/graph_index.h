// Facts about a graph that lay_out() needs again and again and that do not depend on strategies: who reads a value,
// which operations may pass partial sums on, and which variable decides where an update runs.
#pragma once

#include "sharding/graph.h"

#include <vector>

namespace planc::sharding {

struct Use {
    int operation = -1;
    int operand = -1;
};

/// A placement that follows from the home of parameter `root`: dimension (or loop) i is split like dimension
/// root_dimension[i] of the root; -1: not split. They correspond by role and extent. root -1: no parameter decides.
struct Anchor {
    int root = -1;
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
    std::vector<std::vector<Use>> uses;   ///< per value, in execution order
    std::vector<bool> is_output;          ///< per value
    std::vector<int> stored_in;           ///< per value: the variable that it is written to, -1 for none
    std::vector<Use> reader;              ///< per variable: the first use that follows no parameter
    std::vector<Pass> pass;               ///< per operation
    std::vector<bool> may_be_partial;     ///< per value, under some strategy
    std::vector<bool> may_pass_partial;   ///< per operation, under some strategy
    std::vector<int> companion;           ///< per value: see companions() (sharding/joint_sums.h)
    std::vector<Anchor> value_anchor;     ///< per variable without a reader (optimizer state): by dimension
    std::vector<Anchor> operation_anchor; ///< per operation that follows a parameter: by loop

  private:
    void find_uses();
    void find_passes();
    void find_partial_sums();
    void find_anchors();
};

} // namespace planc::sharding
