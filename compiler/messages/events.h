// What ranks send each other, call together and wait for, as plain data: for each rank an ordered list of events. What
// ranks compute is left out, because it always ends.
//
// An operation is what a rank begins with one call, and waits for with another. To begin returns at once. The wait
// returns when
// - the other end of each of the rank's messages has begun too: sends are synchronous, nothing is buffered;
// - all members of the communicator have begun the collective.
// Messages from one rank to another with equal tag and communicator match in the order in which they are begun, and so
// do collectives with equal tag on one communicator. There are no wildcards.
//
// Example: rank 0 sends micro-batches 0 and 1 to rank 1.
//   operation 0   messages {0 to 1, tag 5, 64 bytes}, {1 from 0, tag 5, 64 bytes}
//   rank 0        begin 0 in slot 0 (micro-batch 0), begin 0 in slot 1 (micro-batch 1), wait for both
//   rank 1        begin 0 (micro-batch 0), wait, begin 0 (micro-batch 1), wait
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace planc::messages {

/// One end of a message.
struct Message {
    int rank = 0;         ///< at this end
    int peer = 0;         ///< at the other end
    bool is_sent = false; ///< by `rank`
    int communicator = 0;
    int tag = 0;
    std::int64_t bytes = 0;
};

/// Messages, or a collective. A rank that has neither in it begins nothing, and its wait returns at once.
struct Operation {
    std::string name;                   ///< for people: "all-reduce of gradient of w (net.plan:7:5)"
    std::vector<Message> messages = {}; ///< ascending by rank; those of a rank in the order in which it begins them
    int groups = -1;                    ///< of a collective: index of Events::groups
    int tag = -1; ///< of a collective that is made of messages; -1: it is MPI's own, which has none
    planrt::CollectiveKind kind = planrt::CollectiveKind::all_reduce;
    std::vector<std::int64_t> bytes = {}; ///< of a collective: the payload, by rank, or one entry for all; empty: 0

    [[nodiscard]] std::int64_t bytes_of(int rank) const {
        return bytes.empty() ? 0 : bytes[bytes.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
    }
    /// The messages that begin or end at a rank.
    [[nodiscard]] std::span<const Message> messages_of(int rank) const;
};

struct Event {
    bool waits = false; ///< for the operation that was begun in the slot; otherwise begins it
    int operation = 0;
    int slot = 0; ///< an operation may be under way once in each slot
    int micro_batch = 0;
};

/// The events of a class of ranks, in order.
struct Table {
    std::string name; ///< of the ranks, for people: "stage 1"
    std::vector<Event> events = {};
};

struct Events {
    std::vector<Operation> operations;
    std::vector<std::vector<int>> communicators; ///< of collectives: the members
    /// Each has for every rank the number of a communicator of which the rank is a member; -1: of none.
    std::vector<std::vector<int>> groups;
    std::vector<Table> tables;
    std::vector<int> table_of; ///< by rank

    [[nodiscard]] int ranks() const { return static_cast<int>(table_of.size()); }
    [[nodiscard]] const std::vector<Event> &events_of(int rank) const {
        return tables[static_cast<std::size_t>(table_of[static_cast<std::size_t>(rank)])].events;
    }
    [[nodiscard]] const Operation &operation(const Event &event) const {
        return operations[static_cast<std::size_t>(event.operation)];
    }
    /// The communicator of an operation at a rank; -1: none.
    [[nodiscard]] int communicator(const Operation &operation, int rank) const {
        return operation.groups < 0
                   ? -1
                   : groups[static_cast<std::size_t>(operation.groups)][static_cast<std::size_t>(rank)];
    }
};

/// An event of a rank.
struct Place {
    int rank = -1;
    int event = 0;
};
[[nodiscard]] inline const Event &event_at(const Events &events, const Place &place) {
    return events.events_of(place.rank)[static_cast<std::size_t>(place.event)];
}

/// "rank 3 (stage 1)".
[[nodiscard]] std::string rank_text(const Events &events, int rank);
/// "transfer of h, micro-batch 2".
[[nodiscard]] std::string text(const Events &events, const Event &event);

} // namespace planc::messages
