// All that collectives do with the contents of buffers stands behind these few functions (and BoxCopy::run(),
// combine_of()): a simulation, whose buffers are empty, links others in their place.
#pragma once

#include <planrt/steps.h>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace planrt {

void copy_bytes(std::byte *to, const std::byte *from, std::size_t bytes);

/// The most elements that MPI counts at once: its counts are int.
inline constexpr std::int64_t most_counted = std::numeric_limits<int>::max();

/// The same elements in ranges of `most` at most.
///
/// Example: in_parts({[0, 7)}, 3) == {[0, 3), [3, 6), [6, 7)}.
[[nodiscard]] Positions in_parts(const Positions &positions, std::int64_t most);

/// Elements of a vector, as a message takes them.
struct MessageContents {
    std::byte *data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Makes the contents of messages, and keeps the types that it makes for them: one element of such a type is all that a
/// message carries, which may then be elements in several ranges, and more of them than MPI counts.
class MessageTypes {
  public:
    /// `most` elements are counted at once.
    explicit MessageTypes(std::int64_t most) : most_(most) {}
    MessageTypes(const MessageTypes &) = delete;
    MessageTypes &operator=(const MessageTypes &) = delete;
    ~MessageTypes();

    /// The elements at `positions`, one range or more, of `vector`; `type`, of `element_bytes`, is that of an element.
    [[nodiscard]] MessageContents contents(std::byte *vector, const Positions &positions, MPI_Datatype type,
                                           std::int64_t element_bytes);
    /// A type for all of them, as they lie behind the beginning of the vector.
    [[nodiscard]] MPI_Datatype type_of(const Positions &positions, MPI_Datatype type, std::int64_t element_bytes);

  private:
    std::int64_t most_;
    std::vector<MPI_Datatype> made_;
};

} // namespace planrt
