// All-to-all as MPI's own call is priced: pairwise, with one member after another. In round k a member sends to the
// k-th member after it and receives from the k-th before it.
#include "collectives/message_rounds.h"
#include "collectives/operation.h"

namespace planrt {

namespace {

class PairwiseAllToAll : public Operation {
  public:
    PairwiseAllToAll(const Collective &collective, const Place &place, int tag) : types_(place.most_counted) {
        const MemberBlocks member(collective.members[0], place);
        const std::vector<int> ranks = place.mesh.group(place.rank, collective.axes);
        const std::size_t self = static_cast<std::size_t>(std::ranges::find(ranks, place.rank) - ranks.begin());
        std::vector<MessageRounds::Round> rounds;
        for (std::size_t k = 1; k < ranks.size(); ++k) {
            const int to = ranks[(self + k) % ranks.size()];
            const int from = ranks[(self + ranks.size() - k) % ranks.size()];
            MessageRounds::Round &round = rounds.emplace_back();
            const auto message = [&](const Box &box, int peer) {
                const auto [data, count, type] = types_.contents(place.at(0), {{0, volume(box)}}, member.type,
                                                                 static_cast<std::int64_t>(member.bytes));
                return MessageRounds::Message{data, count, type, peer};
            };
            round.send = message(intersect(member.own_from, member.to_box(to)), to);
            round.receive = message(intersect(member.own_to, member.from_box(from)), from);
        }
        rounds_ = std::make_unique<MessageRounds>(std::move(rounds), place, tag);
    }

    void start() override { rounds_->start(); }
    void finish() override {}

  private:
    MessageTypes types_;
};

} // namespace

OperationPointer make_all_to_all(const Collective &collective, const Place &place, int tag) {
    return std::make_unique<PairwiseAllToAll>(collective, place, tag);
}

} // namespace planrt
