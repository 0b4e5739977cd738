// Faults that are planted into events without one.
#pragma once

#include "messages/events.h"

#include <random>

namespace planc::messages {

/// The same events with a table of its own for each rank.
[[nodiscard]] Events apart(const Events &events);

enum class Planted : std::uint8_t {
    dropped,      ///< what a rank begins, with its wait
    doubled,      ///< begun and waited for once more
    swapped,      ///< the micro-batches of two messages of one channel
    tag,          ///< of a message
    size,         ///< of a message
    communicator, ///< of a message, or of a collective
    order,        ///< of two collectives on one communicator
    bytes,        ///< of a collective
    no_wait,
    no_begin,
};
constexpr int planted_kinds = 10;

/// Plants a fault of one rank. `events` are apart(). False if it has no place for it.
[[nodiscard]] bool plant(Planted kind, Events &events, std::mt19937 &random);

} // namespace planc::messages
