// Executes the events of ranks one by one, in a random order of ranks, as MPI would with synchronous sends: requests,
// queues of posted sends and receives, calls on communicators. It shares nothing with the proof.
#pragma once

#include "messages/events.h"

#include <random>

namespace planc::messages {

struct Executed {
    bool hangs = false;
    bool is_wrong = false; ///< something unlike met, or was left over, or was waited for or begun in error
    friend bool operator==(const Executed &, const Executed &) = default;
};

/// Stops where no rank can go on, or something is begun or waited for in error.
[[nodiscard]] Executed execute(const Events &events, std::mt19937 &random);

} // namespace planc::messages
