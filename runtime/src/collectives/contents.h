// All that collectives do with the contents of buffers stands behind these few functions (and BoxCopy::run(),
// combine_of()): a simulation, whose buffers are empty, links others in their place.
#pragma once

#include <planrt/steps.h>

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace planrt {

void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes);

/// The elements at `positions` of a vector, as a message takes them.
struct MessageContents {
    std::byte *data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    bool is_own_type = false; ///< made for this message: to be freed
};
/// `positions`: one or more. `type`, of `element_bytes`, is that of an element. Failure where MPI cannot count them.
[[nodiscard]] MessageContents message_contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                               std::int64_t element_bytes);

} // namespace planrt
