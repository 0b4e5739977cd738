// Reduce-scatter: partial results along the axes are combined, and each rank of the group keeps its block of them. The
// input is packed block after block, unless it lies so already (a cut of the outermost dimension).
#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

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
        bool in_order = true;
        std::byte *packed = nullptr;
        for (const int rank : place.mesh.group(place.rank, group_axes(collective))) {
            const Box box = member.to_box(rank);
            blocks_.add(volume(box));
            const std::int64_t offset = blocks_.offsets.back() * static_cast<std::int64_t>(member.bytes);
            const BoxCopy probe(member.from, member.own_from, member.to, box, box, member.bytes);
            in_order = in_order &&
                       (blocks_.counts.back() == 0 || (probe.contiguous() && probe.from() == member.from + offset));
        }
        if (in_order)
            return;
        packed = scratch(collective, place, blocks_.total() * static_cast<std::int64_t>(member.bytes));
        send_ = packed;
        std::size_t i = 0;
        for (const int rank : place.mesh.group(place.rank, group_axes(collective))) {
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
