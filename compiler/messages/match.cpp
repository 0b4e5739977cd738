#include "messages/match.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace planc::messages {

namespace {

/// All messages from one rank to another with one tag on one communicator.
struct Channel {
    int from = 0;
    int to = 0;
    int communicator = 0;
    int tag = 0;
    std::vector<int> meetings = {}; ///< in order
    std::size_t sent = 0;
    std::size_t received = 0;
    int unlike = -1; ///< the first of the meetings whose ends differ, and how
    FaultKind how = FaultKind::none;
    std::int64_t received_bytes = 0; ///< of it
};

/// The calls with one tag on one communicator.
struct Calls {
    std::vector<int> meetings = {}; ///< in order
    int caller = -1;                ///< the rank whose calls are being counted
    std::size_t called = 0;         ///< by it
    int unlike = -1;                ///< the first of the meetings that members begin unlike, and where
    Place where = {};
};

class Matching {
  public:
    explicit Matching(const Events &events)
        : events_(events), calls_(events.communicators.size()), channel_of_(events.operations.size()) {}

    Matched run() {
        for (std::size_t o = 0; o < events_.operations.size(); ++o)
            for (const Message &message : events_.operations[o].messages)
                channel_of_[o].push_back(channel(message));
        for (int rank = 0; rank < events_.ranks() && !fault_; ++rank)
            list(rank);
        if (!fault_)
            fault_ = fault_of_messages();
        if (!fault_)
            fault_ = fault_of_calls();
        return {std::move(fault_), std::move(meetings_)};
    }

  private:
    std::size_t channel(const Message &message) {
        const int from = message.is_sent ? message.rank : message.peer;
        const int to = message.is_sent ? message.peer : message.rank;
        const auto [at, is_new] =
            channels_by_.try_emplace({from, to, message.communicator, message.tag}, channels_.size());
        if (is_new)
            channels_.push_back({from, to, message.communicator, message.tag});
        return at->second;
    }

    /// Lists the meetings of a rank.
    void list(int rank) {
        const std::vector<Event> &table = events_.events_of(rank);
        Meetings::OfRank &of = meetings_.of_rank.emplace_back();
        of.first.reserve(table.size() + 1);
        for (int e = 0; e < static_cast<int>(table.size()) && !fault_; ++e) {
            of.first.push_back(static_cast<int>(of.meetings.size()));
            const Event &event = table[static_cast<std::size_t>(e)];
            if (event.waits)
                continue;
            const Operation &operation = events_.operation(event);
            const std::vector<std::size_t> &channels = channel_of_[static_cast<std::size_t>(event.operation)];
            for (const Message &message : operation.messages_of(rank)) {
                const std::size_t number = channels[static_cast<std::size_t>(&message - operation.messages.data())];
                of.meetings.push_back(meet(channels_[number], message, {rank, e}));
            }
            if (operation.groups >= 0)
                of.meetings.push_back(call(operation, {rank, e}));
        }
        of.first.push_back(static_cast<int>(of.meetings.size()));
    }

    int add(std::vector<int> &meetings, const Meeting &meeting) {
        meetings.push_back(static_cast<int>(meetings_.all.size()));
        meetings_.all.push_back(meeting);
        return meetings.back();
    }

    int meet(Channel &channel, const Message &message, const Place &place) {
        const std::size_t k = (message.is_sent ? channel.sent : channel.received)++;
        if (k == channel.meetings.size())
            return add(channel.meetings, message.is_sent ? Meeting{2, 1, -1, place, {}, message.bytes}
                                                         : Meeting{2, 1, -1, {}, place, message.bytes});
        const int number = channel.meetings[k];
        Meeting &meeting = meeting_of(number);
        (message.is_sent ? meeting.sender : meeting.receiver) = place;
        ++meeting.come;
        const bool same_part = event_of(meeting.sender).micro_batch == event_of(meeting.receiver).micro_batch;
        if (channel.unlike < 0 && (!same_part || meeting.bytes != message.bytes)) {
            channel.unlike = number;
            channel.how = same_part ? FaultKind::wrong_size : FaultKind::wrong_micro_batch;
            channel.received_bytes = message.is_sent ? meeting.bytes : message.bytes;
        }
        if (message.is_sent)
            meeting.bytes = message.bytes;
        return number;
    }

    int call(const Operation &operation, const Place &place) {
        const int communicator = events_.communicator(operation, place.rank);
        if (communicator < 0)
            return not_a_member(place);
        const std::vector<int> &members = events_.communicators[static_cast<std::size_t>(communicator)];
        Calls &calls = calls_on(communicator, operation.tag);
        if (std::exchange(calls.caller, place.rank) != place.rank) {
            calls.called = 0;
            if (!std::ranges::binary_search(members, place.rank))
                return not_a_member(place);
        }
        const std::size_t k = calls.called++;
        const std::int64_t bytes = operation.bytes_of(place.rank);
        if (k == calls.meetings.size())
            return add(calls.meetings, {static_cast<int>(members.size()), 1, communicator, place, {}, bytes});
        const int number = calls.meetings[k];
        Meeting &meeting = meeting_of(number);
        ++meeting.come;
        const bool alike = meeting.bytes == bytes && is_same(event_of(meeting.sender), event_of(place));
        if (!alike && (calls.unlike < 0 || number < calls.unlike)) {
            calls.unlike = number;
            calls.where = place;
        }
        return number;
    }

    Calls &calls_on(int communicator, int tag) {
        if (tag < 0)
            return calls_[static_cast<std::size_t>(communicator)];
        const auto [at, is_new] = tagged_.try_emplace({communicator, tag}, calls_.size());
        if (is_new)
            calls_.emplace_back();
        return calls_[at->second];
    }

    int not_a_member(const Place &place) {
        fault_ = {FaultKind::no_member,
                  rank_text(events_, place.rank) + " is in no group of " + text(events_, event_of(place))};
        return -1;
    }

    [[nodiscard]] bool is_same(const Event &a, const Event &b) const {
        const Operation &one = events_.operation(a);
        const Operation &other = events_.operation(b);
        return a.micro_batch == b.micro_batch &&
               (a.operation == b.operation || (one.kind == other.kind && one.name == other.name));
    }

    [[nodiscard]] Fault fault_of_messages() const {
        for (const Channel &channel : channels_)
            if (channel.sent != channel.received)
                return unmatched(channel);
        for (const Channel &channel : channels_)
            if (channel.unlike >= 0)
                return unlike(channel);
        return {};
    }

    /// More is sent than received, or the reverse.
    [[nodiscard]] Fault unmatched(const Channel &channel) const {
        const bool sent = channel.sent > channel.received;
        const int first =
            channel.unlike >= 0 ? channel.unlike : channel.meetings[std::min(channel.sent, channel.received)];
        const Meeting &meeting = meeting_of(first);
        Fault fault{sent ? FaultKind::unmatched_send : FaultKind::unmatched_receive,
                    what_of(sent ? meeting.sender : meeting.receiver)};
        fault.text += sent ? " is sent to " + rank_text(events_, channel.to) + ", which does not receive it"
                           : " is received from " + rank_text(events_, channel.from) + ", which does not send it";
        for (const Channel &other : channels_) // what is left over on the other side
            if (other.from == channel.from && other.to == channel.to &&
                (sent ? other.sent < other.received : other.sent > other.received)) {
                const bool same = other.communicator == channel.communicator;
                fault.kind = same ? FaultKind::wrong_tag : FaultKind::wrong_communicator;
                const auto end = [&](const Channel &of) { return std::to_string(same ? of.tag : of.communicator); };
                fault.text += std::string(": there the ") + (same ? "tag" : "communicator") + " is " + end(other) +
                              " instead of " + end(channel);
                break;
            }
        return fault;
    }

    [[nodiscard]] Fault unlike(const Channel &channel) const {
        const Meeting &meeting = meeting_of(channel.unlike);
        std::string both =
            what_of(meeting.sender) + " is sent to " + rank_text(events_, channel.to) + ", which receives ";
        if (channel.how == FaultKind::wrong_size)
            both += std::to_string(channel.received_bytes) + " bytes instead of " + std::to_string(meeting.bytes);
        else
            both += text(events_, event_of(meeting.receiver)) + " instead";
        return {channel.how, std::move(both)};
    }

    [[nodiscard]] Fault fault_of_calls() const {
        for (const Calls &calls : calls_)
            if (calls.unlike >= 0) {
                const Meeting &meeting = meeting_of(calls.unlike);
                const std::int64_t bytes = events_.operation(event_of(calls.where)).bytes_of(calls.where.rank);
                return {FaultKind::wrong_collective, what_of(calls.where) + " (" + std::to_string(bytes) +
                                                         " bytes) meets " + what_of(meeting.sender) + " (" +
                                                         std::to_string(meeting.bytes) + " bytes)"};
            }
        for (const Calls &calls : calls_)
            for (const int number : calls.meetings)
                if (const Meeting &meeting = meeting_of(number); meeting.come < meeting.parties)
                    return {FaultKind::missing_collective,
                            what_of(meeting.sender) + ": only " + std::to_string(meeting.come) + " of " +
                                std::to_string(meeting.parties) + " members of the group take part"};
        return {};
    }

    [[nodiscard]] const Event &event_of(const Place &place) const { return event_at(events_, place); }
    [[nodiscard]] const Meeting &meeting_of(int number) const {
        return meetings_.all[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] Meeting &meeting_of(int number) { return meetings_.all[static_cast<std::size_t>(number)]; }
    [[nodiscard]] std::string what_of(const Place &place) const {
        return rank_text(events_, place.rank) + ": " + text(events_, event_of(place));
    }

    const Events &events_;
    std::map<std::array<int, 4>, std::size_t> channels_by_;
    std::vector<Channel> channels_;
    std::vector<Calls> calls_;                          ///< by communicator those without a tag, then others
    std::map<std::pair<int, int>, std::size_t> tagged_; ///< by communicator and tag: entry of `calls_`
    std::vector<std::vector<std::size_t>> channel_of_;  ///< by operation and message
    Meetings meetings_;
    Fault fault_;
};

} // namespace

Matched match(const Events &events) {
    return Matching(events).run();
}

} // namespace planc::messages
