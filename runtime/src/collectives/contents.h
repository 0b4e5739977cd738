// Collectives access the contents of buffers only through these functions, BoxCopy::run() and combine_of(). A
// simulation, whose buffers are empty, links other versions of them.
#pragma once

#include <planrt/steps.h>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace planrt {

void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes);
void zero_bytes(std::byte *to, std::size_t bytes);

/// The maximum number of elements in one call of MPI, whose counts are int.
inline constexpr std::int64_t most_counted = std::numeric_limits<int>::max();

/// The same elements, split into ranges of at most `most` elements.
///
/// Example: in_parts({[0, 7)}, 3) == {[0, 3), [3, 6), [6, 7)}.
[[nodiscard]] Positions in_parts(const Positions &positions, std::int64_t most);

/// The elements of a vector that one message carries.
struct MessageContents {
    std::byte *data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Describes the contents of messages and keeps the MPI types that it creates for them. A message carries one element
/// of such a type, which can consist of several ranges and of more elements than MPI counts.
class MessageTypes {
  public:
    /// `most`: the maximum number of elements that MPI counts at once.
    explicit MessageTypes(std::int64_t most) : most_(most) {}
    MessageTypes(const MessageTypes &) = delete;
    MessageTypes &operator=(const MessageTypes &) = delete;
    ~MessageTypes();

    /// The elements of `vector` at `positions`, at least one range. `type`: the type of one element, of
    /// `element_bytes`.
    [[nodiscard]] MessageContents contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                           std::int64_t element_bytes);
    /// A type that covers all `positions`, relative to the beginning of the vector.
    [[nodiscard]] MPI_Datatype type_of(const Positions &positions, MPI_Datatype type, std::int64_t element_bytes);

  private:
    std::int64_t most_;
    std::vector<MPI_Datatype> made_;
};

} // namespace planrt
