// All-gather: every rank of the group receives the blocks of all. They arrive block after block and are unpacked,
// unless that is the result's own order (a cut of the outermost dimension).
#include "collectives/contents.h"
#include "collectives/message_rounds.h"

#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

class AllGather : public Operation {
  public:
    AllGather(const Collective &collective, const Place &place, int tag) {
        requests_.assign(1, MPI_REQUEST_NULL);
        const MemberBlocks member(collective.members[0], place);
        type_ = member.type;
        send_ = member.from;
        receive_ = member.to;
        const std::vector<int> ranks = place.mesh.group(place.rank, group_axes(collective));
        for (const int rank : ranks)
            blocks_.add(volume(member.from_box(rank)));
        const std::int64_t needed =
            scratch_elements(collective.kind, member.from_placement, member.to_placement, place.mesh, place.rank);
        if (needed > 0) // else the blocks arrive where they belong
            plan_unpacking(collective, place, member, ranks);
        if (collective.algorithm == Algorithm::mpi) {
            counted_ = counted(blocks_, place.most_counted);
            send_count_ = mpi_count(member.from_elements(), place.most_counted);
            group_ = place.communicators.along(group_axes(collective));
        } else {
            run_by_messages(collective, place, tag, receive_, needed);
            own_ = receive_ + rounds_->own().begin * static_cast<std::int64_t>(member.bytes);
            own_bytes_ = static_cast<std::size_t>(rounds_->own().size()) * member.bytes;
        }
    }

    void start() override {
        if (rounds_) {
            copy_bytes(own_, send_, own_bytes_);
            return rounds_->start();
        }
        check_mpi(MPI_Iallgatherv(send_, send_count_, type_, receive_, counted_.counts.data(), counted_.offsets.data(),
                                  type_, group_, requests_.data()),
                  "start");
    }

    void finish() override {
        for (const BoxCopy &copy : unpacking_)
            copy.run();
    }

  private:
    void plan_unpacking(const Collective &collective, const Place &place, const MemberBlocks &member,
                        const std::vector<int> &ranks) {
        const auto bytes = static_cast<std::int64_t>(member.bytes);
        receive_ = scratch(collective, place, blocks_.total() * bytes);
        std::size_t i = 0;
        for (const int rank : ranks) {
            const Box box = member.from_box(rank);
            unpacking_.emplace_back(receive_ + blocks_.parts[i++].begin * bytes, box, member.to, member.own_to, box,
                                    member.bytes);
        }
    }

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Comm group_ = MPI_COMM_NULL;
    const std::byte *send_ = nullptr;
    int send_count_ = 0;
    std::byte *receive_ = nullptr;
    Segments blocks_; ///< per rank of the group
    CountedSegments counted_;
    std::vector<BoxCopy> unpacking_;
    // By messages: the place of the rank's own block among the arriving ones.
    std::byte *own_ = nullptr;
    std::size_t own_bytes_ = 0;
};

} // namespace

OperationPointer make_all_gather(const Collective &collective, const Place &place, int tag) {
    return std::make_unique<AllGather>(collective, place, tag);
}

} // namespace planrt
