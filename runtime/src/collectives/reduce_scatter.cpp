// Reduce-scatter: partial results along the axes are combined, and each rank of the group keeps its block of them. The
// input is packed block after block unless it has this order already (a cut of the outermost dimension); by messages it
// is always copied, for the partial sums.
#include "collectives/contents.h"
#include "collectives/message_rounds.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

class ReduceScatter : public Operation {
  public:
    ReduceScatter(const Collective &collective, const Place &place, int tag)
        : operator_(operator_of(collective.members[0].from.reduction)) {
        requests_.assign(1, MPI_REQUEST_NULL);
        const MemberBlocks member(collective.members[0], place);
        type_ = member.type;
        send_ = member.from;
        receive_ = member.to;
        const std::vector<int> ranks = place.mesh.group(place.rank, group_axes(collective));
        for (const int rank : ranks)
            blocks_.add(volume(member.to_box(rank)));
        const std::int64_t needed =
            scratch_elements(collective.kind, member.from_placement, member.to_placement, place.mesh, place.rank);
        if (needed > 0) // else the blocks follow one another
            plan_packing(collective, place, member, ranks);
        if (collective.algorithm == Algorithm::mpi) {
            counts_ = counted(blocks_, place.most_counted).counts;
            group_ = place.communicators.along(group_axes(collective));
        } else {
            plan_messages(collective, place, tag, member);
        }
    }

    void start() override {
        for (const BoxCopy &copy : packing_)
            copy.run();
        if (rounds_) {
            copy_bytes(vector_, send_, copied_bytes_);
            return rounds_->start();
        }
        check_mpi(MPI_Ireduce_scatter(send_, receive_, counts_.data(), type_, operator_, group_, requests_.data()),
                  "start");
    }

    void finish() override { copy_bytes(receive_, own_, own_bytes_); }

  private:
    void plan_packing(const Collective &collective, const Place &place, const MemberBlocks &member,
                      const std::vector<int> &ranks) {
        const auto bytes = static_cast<std::int64_t>(member.bytes);
        std::byte *packed = scratch(collective, place, blocks_.total() * bytes);
        send_ = packed;
        std::size_t i = 0;
        for (const int rank : ranks) {
            const Box box = member.to_box(rank);
            packing_.emplace_back(member.from, member.own_from, packed + blocks_.parts[i++].begin * bytes, box, box,
                                  member.bytes);
        }
    }

    void plan_messages(const Collective &collective, const Place &place, int tag, const MemberBlocks &member) {
        const auto bytes = static_cast<std::int64_t>(member.bytes);
        vector_ = scratch(collective, place, blocks_.total() * bytes);
        if (send_ != vector_)
            copied_bytes_ = static_cast<std::size_t>(blocks_.total() * bytes);
        run_by_messages(collective, place, tag, vector_, blocks_.total());
        own_ = vector_ + rounds_->own().begin * bytes;
        own_bytes_ = static_cast<std::size_t>(rounds_->own().size() * bytes);
    }

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op operator_;
    MPI_Comm group_ = MPI_COMM_NULL;
    const std::byte *send_ = nullptr;
    std::byte *receive_ = nullptr;
    Segments blocks_; ///< per rank of the group
    std::vector<int> counts_;
    std::vector<BoxCopy> packing_;
    // By messages.
    std::byte *vector_ = nullptr;
    std::size_t copied_bytes_ = 0; ///< of an input that is not packed
    const std::byte *own_ = nullptr;
    std::size_t own_bytes_ = 0;
};

} // namespace

OperationPointer make_reduce_scatter(const Collective &collective, const Place &place, int tag) {
    return std::make_unique<ReduceScatter>(collective, place, tag);
}

} // namespace planrt
