// How far data is from its last use: what other operations move in between drives it out of the cache.
#pragma once

#include "cost/machine.h"

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

} // namespace planc::cost
