// Ranks with equal tables as one.
//
// A program of thousands of ranks has few tables. If all that the ranks of a class do together closes within the class,
// or between two of them, then the events of one rank for each class decide: a run in which the ranks of a class always
// go on together is a run of all ranks, and one run decides for all (run.h).
#pragma once

#include "messages/events.h"

#include <optional>

namespace planc::messages {

/// The events of one rank for each table, if
/// - the members of every communicator have equal tables, and equal bytes in each of its collectives;
/// - the messages of every operation match each other, have all their senders in one class and all their receivers in
///   one, and share no tag on their communicator with another operation.
/// If match() and run() find no fault in the folded events, there is none in the events. The reverse does not hold:
/// ranks of a class need not wait for each other. Takes time in proportion to the messages and tables, not to the
/// ranks' events.
[[nodiscard]] std::optional<Events> fold(const Events &events);

} // namespace planc::messages
