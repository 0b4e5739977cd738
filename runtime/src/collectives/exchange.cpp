// Exchange: any placement to any other without partial results, as messages between pairs of ranks: the intersections
// of the blocks. A part that is contiguous in its buffer is sent from there or received there.
#include "collectives/operation.h"

#include "support/failure.h"

#include <planrt/scratch.h>

namespace planrt {

namespace {

class PairwiseExchange : public Operation {
  public:
    PairwiseExchange(const Collective &collective, const Place &place, int tag)
        : all_(place.communicators.all()), tag_(tag) {
        const MemberBlocks member(collective.members[0], place);
        type_ = member.type;
        const Exchange moved = exchange(member.from_placement, member.to_placement, place.mesh, place.rank);
        std::byte *packed = scratch(collective, place,
                                    scratch_elements(CollectiveKind::exchange, member.from_placement,
                                                     member.to_placement, place.mesh, place.rank) *
                                        static_cast<std::int64_t>(member.bytes));
        for (const Box &box : moved.kept)
            copies_at_start_.emplace_back(member.from, member.own_from, member.to, member.own_to, box, member.bytes);
        for (const Transfer &send : moved.sends) {
            const BoxCopy copy(member.from, member.own_from, packed, send.box, send.box, member.bytes);
            const bool direct = copy.contiguous();
            sends_.push_back({direct ? copy.from() : packed, mpi_count(volume(send.box)), send.peer});
            if (direct)
                continue;
            copies_at_start_.push_back(copy);
            packed += volume(send.box) * static_cast<std::int64_t>(member.bytes);
        }
        for (const Transfer &receive : moved.receives) {
            const BoxCopy copy(packed, receive.box, member.to, member.own_to, receive.box, member.bytes);
            const bool direct = copy.contiguous();
            receives_.push_back({direct ? copy.to() : packed, mpi_count(volume(receive.box)), receive.peer});
            if (direct)
                continue;
            copies_at_finish_.push_back(copy);
            packed += volume(receive.box) * static_cast<std::int64_t>(member.bytes);
        }
        requests_.assign(sends_.size() + receives_.size(), MPI_REQUEST_NULL);
    }

    void start() override {
        MPI_Request *request = requests_.data();
        for (const Message<std::byte> &receive : receives_)
            check_mpi(MPI_Irecv(receive.data, receive.count, type_, receive.peer, tag_, all_, request++), "start");
        for (const BoxCopy &copy : copies_at_start_)
            copy.run();
        for (const Message<const std::byte> &send : sends_)
            check_mpi(MPI_Isend(send.data, send.count, type_, send.peer, tag_, all_, request++), "start");
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

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Comm all_;
    int tag_;
    std::vector<Message<const std::byte>> sends_;
    std::vector<Message<std::byte>> receives_;
    std::vector<BoxCopy> copies_at_start_;
    std::vector<BoxCopy> copies_at_finish_;
};

} // namespace

OperationPointer make_exchange(const Collective &collective, const Place &place, int tag) {
    return std::make_unique<PairwiseExchange>(collective, place, tag);
}

} // namespace planrt
