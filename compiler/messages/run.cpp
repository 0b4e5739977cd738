#include "messages/run.h"

#include <algorithm>
#include <utility>

namespace planc::messages {

namespace {

class Run {
  public:
    Run(const Events &events, const Requests &requests, const Meetings &meetings)
        : events_(events), requests_(requests), meetings_(meetings), first_waiter_(meetings.all.size(), -1),
          ranks_(static_cast<std::size_t>(events.ranks())) {
        missing_.reserve(meetings.all.size());
        for (const Meeting &meeting : meetings.all)
            missing_.push_back(meeting.parties);
    }

    Fault run() {
        for (int rank = events_.ranks() - 1; rank >= 0; --rank)
            awake_.push_back(rank);
        while (!awake_.empty()) {
            const int rank = awake_.back();
            awake_.pop_back();
            while (advance(rank)) {
            }
        }
        for (int rank = 0; rank < events_.ranks(); ++rank)
            if (!is_done(rank))
                return cycle_from(rank);
        return {};
    }

  private:
    struct RankState {
        int next = 0;         ///< event
        std::size_t seen = 0; ///< the meetings that the wait there has found complete
        int next_waiter = -1; ///< the next rank that waits for the same meeting
    };

    RankState &state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool is_done(int rank) const {
        return ranks_[static_cast<std::size_t>(rank)].next == static_cast<int>(events_.events_of(rank).size());
    }
    int &missing(int meeting) { return missing_[static_cast<std::size_t>(meeting)]; }

    /// The next event of a rank happens. False if it cannot, or there is none.
    bool advance(int rank) {
        if (is_done(rank))
            return false;
        RankState &now = state(rank);
        const std::span<const int> meetings = meetings_.at(rank, begun_at({rank, now.next}));
        if (event_at(events_, {rank, now.next}).waits) {
            for (; now.seen < meetings.size(); ++now.seen)
                if (const int meeting = meetings[now.seen]; missing(meeting) > 0) {
                    now.next_waiter = std::exchange(first_waiter_[static_cast<std::size_t>(meeting)], rank);
                    return false;
                }
            now.seen = 0;
        } else {
            for (const int meeting : meetings)
                if (--missing(meeting) == 0)
                    wake(meeting);
        }
        ++now.next;
        return true;
    }

    void wake(int meeting) {
        int rank = std::exchange(first_waiter_[static_cast<std::size_t>(meeting)], -1);
        while (rank >= 0) {
            awake_.push_back(rank);
            rank = std::exchange(state(rank).next_waiter, -1);
        }
    }

    [[nodiscard]] int begun_at(const Place &place) const {
        const auto table = static_cast<std::size_t>(events_.table_of[static_cast<std::size_t>(place.rank)]);
        return requests_.begun_at[table][static_cast<std::size_t>(place.event)];
    }

    /// Where a rank begins a meeting.
    [[nodiscard]] Place place_in(int meeting, int rank) const {
        const Meetings::OfRank &of = meetings_.of_rank[static_cast<std::size_t>(rank)];
        const auto at = std::ranges::find(of.meetings, meeting) - of.meetings.begin();
        const auto event = std::ranges::upper_bound(of.first, static_cast<int>(at)) - of.first.begin() - 1;
        return {rank, static_cast<int>(event)};
    }

    /// A party that has not begun what a rank waits for. It waits too, since it is to begin it later.
    Place missing_party(int rank) {
        const RankState &now = state(rank);
        const int number = meetings_.at(rank, begun_at({rank, now.next}))[now.seen];
        const Meeting &meeting = meetings_.all[static_cast<std::size_t>(number)];
        if (meeting.communicator < 0)
            return meeting.sender.rank == rank ? meeting.receiver : meeting.sender;
        for (const int member : events_.communicators[static_cast<std::size_t>(meeting.communicator)])
            if (const Place place = place_in(number, member); place.event >= state(member).next)
                return place;
        return {rank, now.next};
    }

    /// Goes from each rank to one that it waits for, until one comes again.
    Fault cycle_from(int rank) {
        std::vector<int> way;
        while (std::ranges::find(way, rank) == way.end()) {
            way.push_back(rank);
            rank = missing_party(rank).rank;
        }
        way.erase(way.begin(), std::ranges::find(way, rank));
        std::rotate(way.begin(), std::ranges::min_element(way), way.end());
        std::string text = "ranks wait for each other: ";
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < std::min(way.size(), most); ++i) {
            const Place other = missing_party(way[i]);
            text += (i == 0 ? "" : "; ") + rank_text(events_, way[i]) + " waits for " +
                    messages::text(events_, event_at(events_, {way[i], state(way[i]).next})) + ", which " +
                    rank_text(events_, other.rank) + " is yet to begin";
        }
        if (way.size() > most)
            text += "; and " + std::to_string(way.size() - most) + " more";
        return {FaultKind::cycle, std::move(text)};
    }

    const Events &events_;
    const Requests &requests_;
    const Meetings &meetings_;
    std::vector<int> missing_;      ///< by meeting: parties that have not begun it
    std::vector<int> first_waiter_; ///< by meeting: a rank that waits for it
    std::vector<RankState> ranks_;
    std::vector<int> awake_; ///< ranks that may go on
};

} // namespace

Fault run(const Events &events, const Requests &requests, const Meetings &meetings) {
    return Run(events, requests, meetings).run();
}

} // namespace planc::messages
