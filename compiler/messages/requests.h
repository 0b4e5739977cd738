// Which wait belongs to which begin.
#pragma once

#include "messages/events.h"
#include "messages/fault.h"

#include <vector>

namespace planc::messages {

struct Requests {
    Fault fault;
    /// By table and event: of a wait, the event that begins what it waits for; of a begin, itself.
    std::vector<std::vector<int>> begun_at;
};

/// Each operation is begun before it is waited for, once in a slot at a time, and is waited for at the end. Takes time
/// in proportion to the events of the tables.
[[nodiscard]] Requests requests(const Events &events);

} // namespace planc::messages
