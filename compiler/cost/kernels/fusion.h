// How the surrounding operations change the price of an operation. Values that operations of one loop pass to one
// another do not go through memory; data that other operations move drives tensors out of the cache.
#pragma once

#include "cost/machine.h"
#include "sharding/graph.h"

#include <map>
#include <vector>

namespace planc::cost {

/// Reuse distances (Mattson et al. 1970) between operations in execution order: the bytes that all operations move
/// between the middle of the previous use of a tensor (or its production) and the middle of this use. Run twice over a
/// step, the second time measures what the previous step left in the cache.
template <class Key> class ReuseDistances {
  public:
    /// Moves so many bytes, these tensors among them, and returns the operands' distances. A tensor seen for the first
    /// time has distance 0.
    std::vector<Bytes> run(Bytes moved, const std::vector<Key> &operands, const std::vector<Key> &results) {
        const Bytes middle = moved_ + moved * 0.5;
        moved_ += moved;
        std::vector<Bytes> distances;
        for (const Key &key : operands)
            distances.push_back(middle - last_.try_emplace(key, middle).first->second);
        for (const auto *keys : {&operands, &results})
            for (const Key &key : *keys)
                last_[key] = middle;
        return distances;
    }

  private:
    Bytes moved_{};
    std::map<Key, Bytes> last_; ///< the middle of its last use
};

/// Which tensors of an operation do not go through memory. Pointwise operations and reductions of one layer, phase (the
/// gradients of inputs and of weights are one) and parameter are fused into loops: values that one of them makes for
/// another stay in registers, and a value that several read is read once. This is an upper bound of what the schedule
/// fuses within a layer. Fusion across layers, such as a normalisation with its activation, is priced as if values went
/// through memory.
struct Fused {
    std::vector<bool> operands;
    std::vector<bool> results;
    bool same_pass = false; ///< a maximum or its argmax, found in one pass with the other: it is only stored
    bool own_rows = true;   ///< pays for its rows (cost/kernels/kernels.h): the first of the fused loops that has some
    /// The sum of a product and the rest of a variable that is written back: the product adds it directly
    /// (schedule/accumulate_products) unless a collective comes in between, which is the case unless all axes split
    /// this operation.
    bool accumulated = false;
    std::vector<Bytes> reuse; ///< distances of the operands, for whole tensors; empty: what the operation itself moves
};
/// Without distances.
[[nodiscard]] sharding::PerOperation<Fused> fusion(const sharding::Graph &graph);
/// Computes the distances of every operation along a step of one micro-batch. They are rounded to a power of the square
/// root of 2, so that most alike layers stay alike.
void find_reuse(const sharding::Graph &graph, sharding::PerOperation<Fused> &fused);

} // namespace planc::cost
