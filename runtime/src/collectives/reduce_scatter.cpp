// Reduce-scatter: partial results along the axes are combined, and each rank of the group keeps its block of them. The
// input is packed block after block, unless it lies so already (a cut of the outermost dimension).
#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

class ReduceScatter : public Operation {
  public:
    ReduceScatter(const Collective &collective, const Place &place)
        : operator_(operator_of(collective.members[0].from.reduction)),
          group_(place.communicators.along(group_axes(collective))) {
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
        if (needed == 0) // the blocks lie one behind the other
            return;
        std::byte *packed = scratch(collective, place, needed * static_cast<std::int64_t>(member.bytes));
        send_ = packed;
        std::size_t i = 0;
        for (const int rank : ranks) {
            const Box box = member.to_box(rank);
            packing_.emplace_back(member.from, member.own_from, packed + blocks_.offsets[i++] * member.bytes, box, box,
                                  member.bytes);
        }
    }

    void start() override {
        for (const BoxCopy &copy : packing_)
            copy.run();
        check_mpi(
            MPI_Ireduce_scatter(send_, receive_, blocks_.counts.data(), type_, operator_, group_, requests_.data()),
            "start");
    }

    void finish() override {}

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op operator_;
    MPI_Comm group_;
    const std::byte *send_ = nullptr;
    std::byte *receive_ = nullptr;
    Segments blocks_; ///< per rank of the group
    std::vector<BoxCopy> packing_;
};

} // namespace

OperationPointer make_reduce_scatter(const Collective &collective, const Place &place) {
    return std::make_unique<ReduceScatter>(collective, place);
}

} // namespace planrt
