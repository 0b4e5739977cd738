// Which send meets which receive, and which calls of its members make up one collective.
//
// Both are known before anything runs: the k-th send from one rank to another with a tag on a communicator meets the
// k-th such receive, and the k-th call on a communicator is one collective of all its members, whatever the order in
// which ranks proceed.
#pragma once

#include "messages/events.h"
#include "messages/fault.h"

#include <cstdint>
#include <span>
#include <vector>

namespace planc::messages {

/// A message or a collective: complete when all its parties have begun it.
struct Meeting {
    int parties = 2;        ///< sender and receiver, or the members
    int come = 0;           ///< those of them that begin it
    int communicator = -1;  ///< of a collective
    Place sender;           ///< of a collective: one of its members
    Place receiver;         ///< of a message
    std::int64_t bytes = 0; ///< that the sender or the member has
};

/// The meetings of all ranks.
struct Meetings {
    std::vector<Meeting> all;
    /// Those that begin at an event of a rank.
    [[nodiscard]] std::span<const int> at(int rank, int event) const {
        const OfRank &of = of_rank[static_cast<std::size_t>(rank)];
        const auto begin = static_cast<std::size_t>(of.first[static_cast<std::size_t>(event)]);
        const auto end = static_cast<std::size_t>(of.first[static_cast<std::size_t>(event) + 1]);
        return std::span(of.meetings).subspan(begin, end - begin);
    }

    struct OfRank {
        std::vector<int> first; ///< by event: its first entry of `meetings`; one more at the end
        std::vector<int> meetings;
    };
    std::vector<OfRank> of_rank;
};

struct Matched {
    Fault fault;
    Meetings meetings;
};

/// Finds every fault of FaultKind that is not of requests() and no cycle. Takes time in proportion to the events of all
/// ranks and to their messages.
[[nodiscard]] Matched match(const Events &events);

} // namespace planc::messages
