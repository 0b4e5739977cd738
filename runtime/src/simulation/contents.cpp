// Buffers have no contents in a simulation: nothing is copied, combined or packed; messages have their size.
#include "collectives/contents.h"

#include "collectives/box_copy.h"
#include "collectives/combine.h"
#include "collectives/operation.h"

namespace planrt {

void copy_bytes(std::byte * /*to*/, const std::byte * /*from*/, std::size_t /*bytes*/) {}

MessageContents message_contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                 std::int64_t /*element_bytes*/) {
    return {vector, mpi_count(elements(positions)), type, false};
}

void BoxCopy::run(std::size_t /*depth*/, const std::byte * /*from*/, std::byte * /*to*/) const {}

Combine combine_of(Type /*type*/, Reduction /*reduction*/) {
    return [](std::byte *, const std::byte *, std::int64_t, bool) {};
}

} // namespace planrt
