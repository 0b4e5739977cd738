// What lay_out() asks of a graph again and again and no strategy changes: who reads a value, which operations may pass
// partial sums on, and which variable decides where an update runs.
#pragma once

#include "sharding/graph.h"

#include <vector>

namespace planc::sharding {

struct Use {
    int operation = -1;
    int operand = -1;
};

/// Where something lies follows from the home of variable `root`: its dimension (or loop) i is cut as dimension
/// root_dimension[i] of the root is, -1: not cut. root -1: nothing decides, it lies replicated.
struct Anchor {
    int root = -1;
    std::vector<int> root_dimension;
};

struct GraphIndex {
    /// The graph must outlive the index and not change.
    explicit GraphIndex(const Graph &graph);

    const Graph &graph;
    std::vector<std::vector<Use>> uses;   ///< per value, in execution order
    std::vector<bool> is_output;          ///< per value
    std::vector<int> stored_in;           ///< per value: the variable that it is written to, -1 for none
    std::vector<Use> reader;              ///< per variable: the first use that is not an update's
    std::vector<bool> may_be_partial;     ///< per value, under some strategy
    std::vector<bool> may_pass_partial;   ///< per operation, under some strategy
    std::vector<Anchor> value_anchor;     ///< per variable without a reader and per result of an update: by dimension
    std::vector<Anchor> operation_anchor; ///< per update: by loop

  private:
    void find_uses();
    void find_partial_sums();
    void find_anchors();
    [[nodiscard]] Anchor best_anchor(int operation) const;
    bool anchor_values(int operation);
};

} // namespace planc::sharding
