// All-gather: every rank of the group receives the blocks of all. They arrive block after block and are unpacked,
// unless that is the result's own order (a cut of the outermost dimension).
#include "collectives/operation.h"

#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

class AllGather : public Operation {
  public:
    AllGather(const Collective &collective, const Place &place)
        : group_(place.communicators.along(group_axes(collective))) {
        requests_.assign(1, MPI_REQUEST_NULL);
        const MemberBlocks member(collective.members[0], place);
        type_ = member.type;
        send_ = member.from;
        send_count_ = mpi_count(member.from_elements());
        receive_ = member.to;
        const std::vector<int> ranks = place.mesh.group(place.rank, group_axes(collective));
        for (const int rank : ranks)
            blocks_.add(volume(member.from_box(rank)));
        const std::int64_t needed =
            scratch_elements(collective.kind, member.from_placement, member.to_placement, place.mesh, place.rank);
        if (needed == 0) // the blocks arrive where they belong
            return;
        std::byte *packed = scratch(collective, place, needed * static_cast<std::int64_t>(member.bytes));
        receive_ = packed;
        std::size_t i = 0;
        for (const int rank : ranks) {
            const Box box = member.from_box(rank);
            unpacking_.emplace_back(packed + blocks_.offsets[i++] * member.bytes, box, member.to, member.own_to, box,
                                    member.bytes);
        }
    }

    void start() override {
        check_mpi(MPI_Iallgatherv(send_, send_count_, type_, receive_, blocks_.counts.data(), blocks_.offsets.data(),
                                  type_, group_, requests_.data()),
                  "start");
    }

    void finish() override {
        for (const BoxCopy &copy : unpacking_)
            copy.run();
    }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Comm group_;
    const std::byte *send_ = nullptr;
    int send_count_ = 0;
    std::byte *receive_ = nullptr;
    Segments blocks_; ///< per rank of the group
    std::vector<BoxCopy> unpacking_;
};

} // namespace

OperationPointer make_all_gather(const Collective &collective, const Place &place) {
    return std::make_unique<AllGather>(collective, place);
}

} // namespace planrt
