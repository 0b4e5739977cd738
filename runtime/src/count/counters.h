// What this rank hands to MPI. It is counted around MPI itself (the profiling interface, pmpi.cpp) from the arguments
// of the calls, and booked to the collective in progress. Calls and bytes mean what Traffic of <planrt/layout.h> means:
// a collective by messages counts once, with its payload; its messages and their bytes are counted separately.
#pragma once

#include <cstdint>
#include <vector>

namespace planrt {

struct Count {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    std::int64_t messages = 0; ///< of collectives by messages
    std::int64_t sent_bytes = 0;
    friend bool operator==(const Count &, const Count &) = default;
};

/// One account for each collective of the training step, and three others.
class Counters {
  public:
    enum Besides : int { set_up = 0, evaluation = 1, stray = 2 }; ///< stray: in a training step, in no collective

    /// Clears all accounts; the current account is set_up.
    void reset(int collectives);
    void book_to_collective(int index) { current_ = &accounts_[static_cast<std::size_t>(3 + index)]; }
    void book_to(Besides account) { current_ = &accounts_[account]; }
    void count(std::int64_t bytes) {
        ++current_->calls;
        current_->bytes += bytes;
    }
    /// Counts a message from rank to rank: a call, except within a collective by messages.
    void count_message(std::int64_t bytes) {
        if (!within_collective_)
            return count(bytes);
        ++current_->messages;
        current_->sent_bytes += bytes;
    }
    [[nodiscard]] const Count &of_collective(int index) const { return accounts_[static_cast<std::size_t>(3 + index)]; }
    [[nodiscard]] const Count &of(Besides account) const { return accounts_[account]; }

  private:
    friend class CountMessages;
    bool within_collective_ = false;
    std::vector<Count> accounts_ = std::vector<Count>(3);
    Count *current_ = accounts_.data();
};

/// The counters of this process, because MPI's profiling interface has no context. They are defined beside the
/// wrappers, so that a program that counts links the wrappers.
[[nodiscard]] Counters &counters();

/// While an object exists, messages count as those of a collective.
class CountMessages {
  public:
    CountMessages() { counters().within_collective_ = true; }
    CountMessages(const CountMessages &) = delete;
    CountMessages &operator=(const CountMessages &) = delete;
    ~CountMessages() { counters().within_collective_ = false; }
};

} // namespace planrt
