// The memory that holds a program's buffers, and a measurement of how much of it is ever written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace planrt {

class Arena {
  public:
    /// Throws Failure if this machine does not have that much memory left for each of its ranks. Must be called before
    /// any of them allocates: the system grants more memory than it has, and then kills, without a message, a process
    /// that writes to it.
    static void check_available(std::int64_t bytes, int ranks_of_this_machine);

    /// The same for all ranks of all machines. Collective over the world. Errors: CommonFailure.
    static void check_on_all_ranks(std::int64_t bytes);

    /// Allocates zeroed memory or, if `measured`, memory filled with a pattern and followed by a guard. Errors:
    /// std::bad_alloc.
    Arena(std::int64_t bytes, bool measured);

    [[nodiscard]] std::byte *begin() const { return memory_.get(); }
    /// The end, in bytes, of the last byte that differs from the pattern, guard included. The pattern consists of
    /// numbers that no computation leaves at the end of a buffer: NaN with all bits set, -1.
    [[nodiscard]] std::int64_t high_water() const;

  private:
    struct Free {
        void operator()(std::byte *memory) const;
    };
    std::unique_ptr<std::byte[], Free> memory_;
    std::size_t filled_ = 0; ///< bytes, the guard included; 0: not measured
};

} // namespace planrt
