#include "messages/requests.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::messages {

namespace {

/// A fault of all ranks that have the table; it names the first of them.
Fault fault_of(const Events &events, std::size_t table, FaultKind kind, const Event &event, const std::string &what) {
    const auto rank = std::ranges::find(events.table_of, static_cast<int>(table)) - events.table_of.begin();
    return {kind, rank_text(events, static_cast<int>(rank)) + ": " + text(events, event) + what};
}

} // namespace

Requests requests(const Events &events) {
    Requests result;
    result.begun_at.resize(events.tables.size());
    for (std::size_t t = 0; t < events.tables.size(); ++t) {
        if (std::ranges::find(events.table_of, static_cast<int>(t)) == events.table_of.end())
            continue;                            // of no rank
        std::map<std::pair<int, int>, int> open; // operation and slot: where it was begun
        const std::vector<Event> &table = events.tables[t].events;
        std::vector<int> &begun_at = result.begun_at[t];
        begun_at.reserve(table.size());
        for (const Event &event : table) {
            const auto at = open.find({event.operation, event.slot});
            if (event.waits == (at == open.end())) {
                result.fault = event.waits
                                   ? fault_of(events, t, FaultKind::not_begun, event, " is waited for but not begun")
                                   : fault_of(events, t, FaultKind::begun_twice, event,
                                              " is begun again before it was waited for");
                return result;
            }
            const auto here = static_cast<int>(begun_at.size());
            begun_at.push_back(event.waits ? at->second : here);
            if (event.waits)
                open.erase(at);
            else
                open[{event.operation, event.slot}] = here;
        }
        if (!open.empty()) {
            const Event &left = table[static_cast<std::size_t>(open.begin()->second)];
            result.fault = fault_of(events, t, FaultKind::left_open, left, " is begun but never waited for");
            return result;
        }
    }
    return result;
}

} // namespace planc::messages
