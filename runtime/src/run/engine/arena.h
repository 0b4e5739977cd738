// The memory that a program's buffers lie in, and how much of it is ever written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace planrt {

class Arena {
  public:
    /// Failure where this machine has not so much memory left for each of its ranks. To be asked before any of them
    /// takes its own: memory is given out before it is there, and whoever then writes to it is killed without a word.
    static void check_available(std::int64_t bytes, int ranks_of_this_machine);

    /// The same for all ranks of all machines. Collective over the world. Errors: CommonFailure.
    static void check_on_all_ranks(std::int64_t bytes);

    /// Zeroed; with `measured` filled with a pattern instead, and followed by a guard. Throws std::bad_alloc.
    Arena(std::int64_t bytes, bool measured);

    [[nodiscard]] std::byte *begin() const { return memory_.get(); }
    /// The end of the last byte that is not the pattern any more, the guard included: bytes from the beginning. The
    /// pattern is that of numbers that no computation leaves at the end of a buffer: nan with all bits set, -1.
    [[nodiscard]] std::int64_t high_water() const;

  private:
    struct Free {
        void operator()(std::byte *memory) const;
    };
    std::unique_ptr<std::byte[], Free> memory_;
    std::size_t filled_ = 0; ///< bytes, the guard included; 0: not measured
};

} // namespace planrt
