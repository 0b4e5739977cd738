// Operands whose dimensions two loops index, as a convolution's input: which element a point of the nest reads.
#pragma once

#include "interpret/local.h"
#include "sharding/nest.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace planc::interpret {

class Windows {
  public:
    /// `space`: the ranges of the loops on this rank. Throws Failure where the rank lacks what its windows touch,
    /// unless others of several `parts` give that.
    Windows(const sharding::Nest &nest, const planrt::Box &space, const std::vector<const Local *> &operands,
            bool parts);

    /// Moves `at[i]`, the element of operand i that the loops without windows give, to the one that the point `index`
    /// reads. False: it lies in the padding, in another part or, transposed, between the positions.
    [[nodiscard]] bool move(const std::vector<std::int64_t> &index, std::vector<std::int64_t> &at) const;
    [[nodiscard]] bool none() const { return windows_.empty(); }

  private:
    struct Moving {
        sharding::NestWindow window;
        std::size_t loop = 0;
        planrt::Range held;      ///< the rank's range of the dimension
        std::int64_t stride = 1; ///< in elements
    };
    std::vector<Moving> windows_;
};

} // namespace planc::interpret
