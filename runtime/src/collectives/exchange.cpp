// Exchange: any placement to any other without partial results, as messages between pairs of ranks: the intersections
// of the blocks; within a role or from one to another. A part that is contiguous in its buffer is sent from there or
// received there.
#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

/// A rank's block before or after.
struct Side {
    Type type;
    Box box;
    std::byte *data;
};

class PairwiseExchange : public Operation {
  public:
    /// An empty box of a side: this rank has nothing there.
    PairwiseExchange(const Exchange &moved, const Side &from, const Side &to, MPI_Comm ranks, int tag,
                     std::byte *packed)
        : ranks_(ranks), tag_(tag), type_(datatype_of(from.type)) {
        const std::size_t bytes = element_bytes(from.type);
        for (const Box &box : moved.kept)
            copies_at_start_.emplace_back(from.data, from.box, to.data, to.box, box, bytes);
        for (const Transfer &send : moved.sends) {
            const BoxCopy copy(from.data, from.box, packed, send.box, send.box, bytes);
            const bool direct = copy.contiguous();
            sends_.push_back({direct ? copy.from() : packed, mpi_count(volume(send.box)), send.peer});
            if (direct)
                continue;
            copies_at_start_.push_back(copy);
            packed += volume(send.box) * static_cast<std::int64_t>(bytes);
        }
        for (const Transfer &receive : moved.receives) {
            const BoxCopy copy(packed, receive.box, to.data, to.box, receive.box, bytes);
            const bool direct = copy.contiguous();
            receives_.push_back({direct ? copy.to() : packed, mpi_count(volume(receive.box)), receive.peer});
            if (direct)
                continue;
            copies_at_finish_.push_back(copy);
            packed += volume(receive.box) * static_cast<std::int64_t>(bytes);
        }
        requests_.assign(sends_.size() + receives_.size(), MPI_REQUEST_NULL);
    }

    void start() override {
        MPI_Request *request = requests_.data();
        for (const Message<std::byte> &receive : receives_)
            check_mpi(MPI_Irecv(receive.data, receive.count, type_, receive.peer, tag_, ranks_, request++), "start");
        for (const BoxCopy &copy : copies_at_start_)
            copy.run();
        for (const Message<const std::byte> &send : sends_)
            check_mpi(MPI_Isend(send.data, send.count, type_, send.peer, tag_, ranks_, request++), "start");
    }

    void finish() override {
        for (const BoxCopy &copy : copies_at_finish_)
            copy.run();
    }

  private:
    template <class Byte> struct Message {
        Byte *data;
        int count;
        int peer;
    };

    MPI_Comm ranks_;
    int tag_;
    MPI_Datatype type_;
    std::vector<Message<const std::byte>> sends_;
    std::vector<Message<std::byte>> receives_;
    std::vector<BoxCopy> copies_at_start_;
    std::vector<BoxCopy> copies_at_finish_;
};

/// This rank's side of a transfer; without a box where its role is the other one.
Side side_of(const Tensor &tensor, const RolePlacement &placed, const Place &place) {
    const Mesh whole = mesh_of(place.program);
    const int within = placed.role.rank_within(whole, place.world_rank);
    return {tensor.type, within < 0 ? Box() : local_box(placed.placement, placed.role.mesh(whole), within),
            place.at(tensor.offset)};
}

} // namespace

OperationPointer make_exchange(const Collective &collective, const Place &place, int tag) {
    const MemberBlocks member(collective.members[0], place);
    std::byte *packed = scratch(
        collective, place,
        scratch_elements(CollectiveKind::exchange, member.from_placement, member.to_placement, place.mesh, place.rank) *
            static_cast<std::int64_t>(member.bytes));
    const Tensor &tensor = collective.members[0].from;
    return std::make_unique<PairwiseExchange>(
        exchange(member.from_placement, member.to_placement, place.mesh, place.rank),
        Side{tensor.type, member.own_from, member.from}, Side{tensor.type, member.own_to, member.to},
        place.communicators.role(), tag, packed);
}

OperationPointer make_transfer(const Collective &collective, const Place &place, int tag) {
    const auto &[from, to] = collective.members[0];
    const RolePlacement sent{placement_of(from), role_of(place.program, collective.role)};
    const RolePlacement received{placement_of(to), role_of(place.program, collective.to_role)};
    const Mesh whole = mesh_of(place.program);
    std::byte *packed = scratch(collective, place,
                                scratch_elements(sent, received, whole, place.world_rank) *
                                    static_cast<std::int64_t>(element_bytes(from.type)));
    return std::make_unique<PairwiseExchange>(exchange(sent, received, whole, place.world_rank),
                                              side_of(from, sent, place), side_of(to, received, place),
                                              place.communicators.all(), tag, packed);
}

} // namespace planrt
