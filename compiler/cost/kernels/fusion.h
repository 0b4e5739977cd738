// What the price of an operation depends on beside its own nest: the operations around it. What they make for one
// another in one loop does not go through memory; what they move meanwhile drives tensors out of the cache.
#pragma once

#include "cost/machine.h"
#include "sharding/graph.h"

#include <map>
#include <vector>

namespace planc::cost {

/// Reuse distances (Mattson et al. 1970) from one operation to the next, in the order in which they run: the bytes that
/// all operations move from the middle of the one that used or made a tensor last to the middle of this. Used on a step
/// twice, the second time for what the step before has left.
template <class Key> class ReuseDistances {
  public:
    /// Moves so many bytes, of these tensors among them; those that are seen for the first time have distance 0.
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

/// Tensors of an operation that do not go through memory: pointwise operations and reductions of one layer, phase (both
/// gradients are one) and parameter are fused into loops, so that what one of them makes for another stays in
/// registers, and what several read is read once. An upper bound of what the schedule fuses within a layer; what it
/// fuses of several layers, a normalisation with the activation behind it, is priced as if it went through memory.
struct Fused {
    std::vector<bool> operands;
    std::vector<bool> results;
    bool same_pass = false; ///< the number of a maximum that is found with it, or the other way round: only stored
    bool own_rows = true;   ///< pays for its rows (cost/kernels/kernels.h): the first of its loops that does
    /// The sum of a product and what is left of a variable, to which it is written: the product adds it itself
    /// (schedule/accumulate_products) as long as no collective comes between them, that is where all axes split this.
    bool accumulated = false;
    std::vector<Bytes> reuse; ///< distances of the operands, of whole tensors; none: what the operation itself moves
};
/// Per operation of the graph, without distances.
[[nodiscard]] std::vector<Fused> fusion(const sharding::Graph &graph);
/// Distances of every operation along a step of one micro-batch, to a power of the square root of 2: so that most
/// layers alike stay alike.
void find_reuse(const sharding::Graph &graph, std::vector<Fused> &fused);

} // namespace planc::cost
