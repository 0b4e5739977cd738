// Buffers have no contents in a simulation: nothing is copied, combined or packed; messages have their size.
#include "collectives/contents.h"

#include "collectives/box_copy.h"
#include "collectives/combine.h"
#include "collectives/operation.h"

namespace planrt {

void copy_bytes(std::byte * /*to*/, const std::byte * /*from*/, std::size_t /*bytes*/) {}

void zero_bytes(std::byte * /*to*/, std::size_t /*bytes*/) {}

MessageTypes::~MessageTypes() = default;

/// One message with all elements, in units of 16 bytes if MPI cannot count them otherwise; SMPI would pack a derived
/// type.
MessageContents MessageTypes::contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                       std::int64_t element_bytes) {
    const std::int64_t count = elements(positions);
    if (count <= most_)
        return {vector, static_cast<int>(count), type};
    return {vector, mpi_count((count * element_bytes + 15) / 16, most_), MPI_C_DOUBLE_COMPLEX};
}

void BoxCopy::run(std::size_t /*depth*/, const std::byte * /*from*/, std::byte * /*to*/, Combine /*combine*/) const {}

Combine combine_of(Type /*type*/, Reduction /*reduction*/) {
    return [](std::byte *, const std::byte *, std::int64_t, bool) {};
}

} // namespace planrt
