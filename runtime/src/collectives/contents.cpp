#include "collectives/contents.h"

#include "collectives/box_copy.h"
#include "collectives/operation.h"
#include "support/failure.h"

#include <cstring>
#include <vector>

namespace planrt {

void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes) {
    if (bytes > 0)
        std::memcpy(to, from, bytes);
}

MessageContents message_contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                 std::int64_t element_bytes) {
    if (positions.size() == 1)
        return {vector + positions[0].begin * element_bytes, mpi_count(positions[0].size()), type, false};
    std::vector<int> counts;
    std::vector<int> offsets;
    for (const Range &range : positions) {
        counts.push_back(mpi_count(range.size()));
        offsets.push_back(mpi_count(range.begin));
    }
    MessageContents result{vector, 1, MPI_DATATYPE_NULL, true};
    check_mpi(MPI_Type_indexed(static_cast<int>(counts.size()), counts.data(), offsets.data(), type, &result.type),
              "set-up");
    check_mpi(MPI_Type_commit(&result.type), "set-up");
    return result;
}

void BoxCopy::run(std::size_t depth, const std::byte *from, std::byte *to) const {
    if (depth == loops_.size())
        return copy_bytes(to, from, run_bytes_);
    const Loop &loop = loops_[depth];
    for (std::int64_t i = 0; i < loop.count; ++i)
        run(depth + 1, from + i * loop.from_stride, to + i * loop.to_stride);
}

} // namespace planrt
