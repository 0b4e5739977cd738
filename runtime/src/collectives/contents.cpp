#include "collectives/contents.h"

#include "collectives/box_copy.h"
#include "support/failure.h"

#include <algorithm>
#include <cstring>

namespace planrt {

void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes) {
    if (bytes > 0)
        std::memcpy(to, from, bytes);
}

void zero_bytes(std::byte *to, std::size_t bytes) {
    if (bytes > 0)
        std::memset(to, 0, bytes);
}

Positions in_parts(const Positions &positions, std::int64_t most) {
    Positions parts;
    for (const Range &range : positions)
        for (std::int64_t begin = range.begin; begin < range.end; begin += most)
            parts.push_back({begin, std::min(begin + most, range.end)});
    return parts;
}

MessageTypes::~MessageTypes() {
    for (MPI_Datatype &type : made_)
        MPI_Type_free(&type);
}

MPI_Datatype MessageTypes::type_of(const Positions &positions, MPI_Datatype type, std::int64_t element_bytes) {
    std::vector<int> counts;
    std::vector<MPI_Aint> offsets; // bytes
    for (const Range &part : in_parts(positions, most_)) {
        counts.push_back(static_cast<int>(part.size()));
        offsets.push_back(static_cast<MPI_Aint>(part.begin * element_bytes));
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(), offsets.data(), type, &made),
              "set-up");
    made_.push_back(made);
    check_mpi(MPI_Type_commit(&made_.back()), "set-up");
    return made_.back();
}

MessageContents MessageTypes::contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                       std::int64_t element_bytes) {
    if (positions.size() == 1 && positions[0].size() <= most_)
        return {vector + positions[0].begin * element_bytes, static_cast<int>(positions[0].size()), type};
    return {vector, 1, type_of(positions, type, element_bytes)};
}

void BoxCopy::run(std::size_t depth, const std::byte *from, std::byte *to, Combine combine) const {
    if (depth == loops_.size() && combine == nullptr)
        return copy_bytes(to, from, run_bytes_);
    if (depth == loops_.size())
        return combine(to, from, static_cast<std::int64_t>(run_bytes_ / element_bytes_), false);
    const Loop &loop = loops_[depth];
    if (!loop.from_offsets.empty()) {
        for (std::int64_t i = 0; i < loop.count; ++i)
            run(depth + 1, from + loop.from_offsets[i], to + loop.to_offsets[i], combine);
        return;
    }
    for (std::int64_t i = 0; i < loop.count; ++i)
        run(depth + 1, from + i * loop.from_stride, to + i * loop.to_stride, combine);
}

} // namespace planrt
