#include "messages/events.h"

#include <algorithm>

namespace planc::messages {

std::span<const Message> Operation::messages_of(int rank) const {
    const auto range = std::ranges::equal_range(messages, rank, {}, &Message::rank);
    return {range.begin(), range.end()};
}

std::string rank_text(const Events &events, int rank) {
    std::string text = "rank " + std::to_string(rank);
    if (rank < 0 || rank >= events.ranks())
        return text;
    const auto table = static_cast<std::size_t>(events.table_of[static_cast<std::size_t>(rank)]);
    const std::string &name = events.tables[table].name;
    return name.empty() ? text : text + " (" + name + ")";
}

std::string text(const Events &events, const Event &event) {
    return events.operation(event).name + ", micro-batch " + std::to_string(event.micro_batch);
}

} // namespace planc::messages
