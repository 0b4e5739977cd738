// Exchange: turns any placement into any other without partial results, within a role or from one role to another.
// Pairs of ranks send each other the intersections of their blocks. A part that is contiguous in its buffer is sent or
// received there without packing. Addends of touched rows are all received into scratch and then added.
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
    /// An empty box of a side: this rank has nothing there. `adds`: to zeros, the rank's own part first, then in the
    /// order of the senders.
    PairwiseExchange(const Exchange &moved, const Side &from, const Side &to, bool adds, MPI_Comm ranks, int tag,
                     std::byte *packed, std::int64_t most_counted)
        : ranks_(ranks), tag_(tag), types_(most_counted) {
        const std::size_t bytes = element_bytes(from.type);
        if (adds) {
            sum_ = to.data;
            sum_bytes_ = static_cast<std::size_t>(volume(to.box)) * bytes;
            combine_ = combine_of(to.type, Reduction::sum);
        }
        const auto message = [&](std::byte *data, const Transfer &transfer) {
            return Message{types_.contents(data, {{0, volume(transfer.box)}}, datatype_of(from.type),
                                           static_cast<std::int64_t>(bytes)),
                           transfer.peer};
        };
        for (const Box &box : moved.kept)
            copies_at_start_.emplace_back(from.data, from.box, to.data, to.box, box, bytes);
        for (const Transfer &send : moved.sends) {
            const BoxCopy copy(from.data, from.box, packed, send.box, send.box, bytes);
            const bool direct = copy.contiguous();
            sends_.push_back(message(direct ? from.data + (copy.from() - from.data) : packed, send));
            if (direct)
                continue;
            copies_at_start_.push_back(copy);
            packed += volume(send.box) * static_cast<std::int64_t>(bytes);
        }
        for (const Transfer &receive : moved.receives) {
            const BoxCopy copy(packed, receive.box, to.data, to.box, receive.box, bytes);
            const bool direct = copy.contiguous() && !adds;
            receives_.push_back(message(direct ? copy.to() : packed, receive));
            if (direct)
                continue;
            copies_at_finish_.push_back(copy);
            packed += volume(receive.box) * static_cast<std::int64_t>(bytes);
        }
        requests_.assign(sends_.size() + receives_.size(), MPI_REQUEST_NULL);
    }

    void start() override {
        MPI_Request *request = requests_.data();
        zero_bytes(sum_, sum_bytes_);
        for (const auto &[contents, peer] : receives_)
            check_mpi(MPI_Irecv(contents.data, contents.count, contents.type, peer, tag_, ranks_, request++), "start");
        for (const BoxCopy &copy : copies_at_start_)
            copy.run();
        for (const auto &[contents, peer] : sends_)
            check_mpi(MPI_Isend(contents.data, contents.count, contents.type, peer, tag_, ranks_, request++), "start");
    }

    void finish() override {
        for (const BoxCopy &copy : copies_at_finish_)
            copy.run(combine_);
    }

  private:
    struct Message {
        MessageContents contents;
        int peer;
    };

    MPI_Comm ranks_;
    int tag_;
    MessageTypes types_;
    std::byte *sum_ = nullptr;
    std::size_t sum_bytes_ = 0;
    Combine combine_ = nullptr; ///< null: what arrives is copied
    std::vector<Message> sends_;
    std::vector<Message> receives_;
    std::vector<BoxCopy> copies_at_start_;
    std::vector<BoxCopy> copies_at_finish_;
};

/// This rank's side of a transfer; it has no box if the rank has the other role.
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
        has_addends(member.from_placement), place.communicators.role(), tag, packed, place.most_counted);
}

OperationPointer make_transfer(const Collective &collective, const Place &place, int tag) {
    const auto &[from, to] = collective.members[0];
    const RolePlacement sent{placement_of(from), role_of(place.program, collective.role)};
    const RolePlacement received{placement_of(to), role_of(place.program, collective.to_role)};
    const Mesh whole = mesh_of(place.program);
    Collective at_this_side = collective;
    if (received.role.rank_within(whole, place.world_rank) >= 0)
        at_this_side.scratch_offset = collective.to_scratch_offset;
    std::byte *packed = scratch(at_this_side, place,
                                scratch_elements(sent, received, whole, place.world_rank) *
                                    static_cast<std::int64_t>(element_bytes(from.type)));
    return std::make_unique<PairwiseExchange>(exchange(sent, received, whole, place.world_rank),
                                              side_of(from, sent, place), side_of(to, received, place), false,
                                              place.communicators.all(), tag, packed, place.most_counted);
}

} // namespace planrt
