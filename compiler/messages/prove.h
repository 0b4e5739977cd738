// The proof that ranks do not hang, and that all their messages match.
#pragma once

#include "messages/events.h"
#include "messages/fault.h"

namespace planc::messages {

/// The first fault, or none. Without one, in every order in which ranks may proceed, with MPI buffering messages or
/// not:
/// - every rank comes to the end of its events, and nothing is under way then;
/// - each send meets a receive of as many bytes, of the same micro-batch; each collective is the same, of the same
///   micro-batch and bytes, for all members of its group.
/// With a fault, some run with synchronous sends does not end, or a message or collective meets a wrong one.
///
/// Assumes that computations end, and that MPI moves what has begun at both ends while a rank waits for anything.
[[nodiscard]] Fault prove(const Events &events);

/// The same answer without fold(), rank by rank: to compare with in tests.
[[nodiscard]] Fault prove_each_rank(const Events &events);

} // namespace planc::messages
