// Runs events whose messages and collectives match, abstractly: does every rank come to its end?
//
// One run decides for all. What a rank does next depends on its own list only, and an event that can happen stays able
// to happen until it does: to begin is always possible, and a wait may end as soon as the parties of what it waits for
// have begun, which no later event undoes. So if two ranks can go on, either may go first and the other can still go on
// (the diamond property), and all runs that go as far as possible end in the same state. Where MPI buffers a message, a
// wait ends earlier than here; then no rank comes less far.
#pragma once

#include "messages/events.h"
#include "messages/fault.h"
#include "messages/match.h"
#include "messages/requests.h"

namespace planc::messages {

/// A cycle of ranks that wait for each other, or no fault. `events` has no fault of requests() and match(). Takes time
/// in proportion to the events of all ranks and to their meetings.
[[nodiscard]] Fault run(const Events &events, const Requests &requests, const Meetings &meetings);

} // namespace planc::messages
