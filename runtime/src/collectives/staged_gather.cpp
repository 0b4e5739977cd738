// A staged gather (planrt/staged.h): the rank's own block is read where it is; each other piece arrives in one of two
// places in turn. The next piece is on its way while a product uses this one, and so is what the rank sends.
#include "collectives/message_rounds.h"
#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/scratch.h>
#include <planrt/staged.h>

#include <algorithm>

namespace planrt {

namespace {

class StagedOperation : public Operation {
  public:
    StagedOperation(const StagedGather &gather, const Collective &collective, const Place &place, int tag)
        : types_(place.most_counted) {
        const MemberBlocks member(collective.members[0], place);
        const auto bytes = static_cast<std::int64_t>(member.bytes);
        const StagedMemory memory =
            *staged_memory(collective.kind, collective.axes, member.from_placement, member.to_placement, place.mesh);
        const std::size_t d = gather.dimension;
        const std::int64_t begin = member.own_to[d].begin;
        pieces_.push_back({member.from, gather.own[d].begin - begin, gather.own[d].size()});
        std::vector<MessageRounds::Round> rounds;
        for (const StagedGather::Round &each : gather.rounds) {
            std::byte *to = member.to + static_cast<std::int64_t>(pieces_.size() - 1) % 2 * memory.piece * bytes;
            MessageRounds::Round &round = rounds.emplace_back();
            std::byte *from = const_cast<std::byte *>(pieces_.back().data); // MPI takes what it sends as not const
            if (!gather.passes_on) {
                from = scratch(collective, place, is_one_run(each.sent, gather.own) ? 0 : volume(each.sent) * bytes);
                const BoxCopy copy(member.from, gather.own, from, each.sent, each.sent, member.bytes);
                if (copy.contiguous())
                    from = member.from + (copy.from() - member.from);
                else
                    round.packing.push_back(copy);
            }
            round.send = message(from, each.sent, each.to, member);
            round.receive = message(to, each.received, each.from, member);
            pieces_.push_back({to, each.received[d].begin - begin, each.received[d].size()});
        }
        rounds_ = std::make_unique<MessageRounds>(std::move(rounds), place, tag,
                                                  gather.passes_on ? volume(member.own_to) * bytes : -1);
    }

    void start() override {
        rounds_->allow(1);
        rounds_->start();
    }

    void finish() override {}

  private:
    MessageRounds::Message message(std::byte *data, const Box &box, int rank, const MemberBlocks &member) {
        if (volume(box) == 0)
            return {};
        const MessageContents contents =
            types_.contents(data, {{0, volume(box)}}, member.type, static_cast<std::int64_t>(member.bytes));
        return {contents.data, contents.count, contents.type, rank};
    }

    MessageTypes types_;
};

} // namespace

OperationPointer make_staged_gather(const Collective &collective, const Place &place, int tag) {
    const auto &[from, to] = collective.members[0];
    const std::optional<StagedGather> gather =
        staged_gather(collective.kind, collective.axes, placement_of(from), placement_of(to), place.mesh, place.rank);
    if (!gather)
        throw Failure("internal error of the compiler: a gather that has no pieces");
    return std::make_unique<StagedOperation>(*gather, collective, place, tag);
}

} // namespace planrt
