// Operands with dimensions that two loops index, such as a convolution's input: which element a point of the nest
// reads.
#pragma once

#include "interpret/local.h"
#include "sharding/nest.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace planc::interpret {

class Windows {
  public:
    /// `space`: the ranges of the loops on this rank. Throws Failure if the rank lacks elements that its windows touch,
    /// unless other `parts` provide them.
    Windows(const sharding::Nest &nest, const planrt::Box &space, const std::vector<const Local *> &operands,
            bool parts);

    /// Moves `at[i]` from the element of operand i that the loops without windows determine to the one that the point
    /// `index` reads. Returns false if that lies in the padding, in another part or, transposed, between the positions.
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
