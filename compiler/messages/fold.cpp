#include "messages/fold.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace planc::messages {

namespace {

/// The table of a rank; -1 if there is no such rank.
int table_of(const Events &events, int rank) {
    return rank >= 0 && rank < events.ranks() ? events.table_of[static_cast<std::size_t>(rank)] : -1;
}

/// Whether each rank that calls collectives of these groups is a member of a communicator, whose members are those
/// ranks that are assigned to it, and have equal tables.
bool is_closed(const Events &events, std::size_t groups) {
    std::map<int, std::size_t> assigned;                       // by communicator
    std::vector<bool> has_others(events.tables.size(), false); // by table: are there ranks of no communicator?
    const std::vector<int> &of_rank = events.groups[groups];
    for (int rank = 0; rank < events.ranks(); ++rank) {
        const int communicator = of_rank[static_cast<std::size_t>(rank)];
        if (communicator < 0) {
            has_others[static_cast<std::size_t>(table_of(events, rank))] = true;
            continue;
        }
        const std::vector<int> &members = events.communicators[static_cast<std::size_t>(communicator)];
        if (!std::ranges::binary_search(members, rank) || table_of(events, members.front()) != table_of(events, rank))
            return false;
        ++assigned[communicator];
    }
    for (const auto &[communicator, ranks] : assigned)
        if (ranks != events.communicators[static_cast<std::size_t>(communicator)].size())
            return false;
    for (std::size_t table = 0; table < events.tables.size(); ++table)
        if (has_others[table] && std::ranges::any_of(events.tables[table].events, [&](const Event &event) {
                return events.operation(event).groups == static_cast<int>(groups);
            }))
            return false;
    return true;
}

bool have_members_equal_bytes(const Events &events, const Operation &operation) {
    if (operation.groups < 0 || operation.bytes.size() <= 1)
        return true;
    for (int rank = 0; rank < events.ranks(); ++rank)
        if (const int communicator = events.communicator(operation, rank); communicator >= 0) {
            const int first = events.communicators[static_cast<std::size_t>(communicator)].front();
            if (operation.bytes_of(rank) != operation.bytes_of(first))
                return false;
        }
    return true;
}

/// The messages of one operation, as one from a class to a class.
class FoldedMessages {
  public:
    explicit FoldedMessages(const Events &events) : events_(events) {}

    /// The two ends; none if both are of one class, whose ranks begin and wait together. Empty if they do not close.
    std::optional<std::vector<Message>> of(int number) {
        const Operation &operation = events_.operations[static_cast<std::size_t>(number)];
        std::vector<End> sent;
        std::vector<End> received;
        int from = -1;
        int to = -1;
        std::int64_t bytes = 0;
        for (const Message &each : operation.messages) {
            if (owner_.try_emplace({each.communicator, each.tag}, number).first->second != number)
                return {};
            int &side = each.is_sent ? from : to;
            const int table = table_of(events_, each.rank);
            if (side >= 0 && side != table)
                return {};
            side = table;
            if (each.is_sent)
                sent.emplace_back(each.rank, each.peer, each.communicator, each.tag, each.bytes);
            else
                received.emplace_back(each.peer, each.rank, each.communicator, each.tag, each.bytes);
            bytes += each.is_sent ? each.bytes : 0;
        }
        const auto by_channel = [](const End &a, const End &b) {
            return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a)) <
                   std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b));
        };
        std::ranges::stable_sort(sent, by_channel);
        std::ranges::stable_sort(received, by_channel);
        if (sent != received)
            return {};
        if (from == to)
            return std::vector<Message>();
        std::vector<Message> ends{{from, to, true, 0, number, bytes}, {to, from, false, 0, number, bytes}};
        std::ranges::sort(ends, {}, &Message::rank);
        return ends;
    }

  private:
    using End = std::tuple<int, int, int, int, std::int64_t>; ///< sender, receiver, communicator, tag, bytes

    const Events &events_;
    std::map<std::pair<int, int>, int> owner_; ///< by communicator and tag: the operation
};

} // namespace

std::optional<Events> fold(const Events &events) {
    for (std::size_t groups = 0; groups < events.groups.size(); ++groups)
        if (!is_closed(events, groups))
            return {};
    Events folded;
    FoldedMessages messages(events);
    for (int o = 0; o < static_cast<int>(events.operations.size()); ++o) {
        const Operation &operation = events.operations[static_cast<std::size_t>(o)];
        std::optional<std::vector<Message>> ends = messages.of(o);
        if (!ends || !have_members_equal_bytes(events, operation))
            return {};
        folded.operations.push_back({operation.name, std::move(*ends)});
    }
    folded.tables = events.tables;
    for (int table = 0; table < static_cast<int>(events.tables.size()); ++table)
        folded.table_of.push_back(table);
    return folded;
}

} // namespace planc::messages
