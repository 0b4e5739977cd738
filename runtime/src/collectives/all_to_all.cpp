// All-to-all: a cut moves from one dimension to another; each rank sends each other rank of the group the part of its
// block that the other wants. What stays is copied and never handed to MPI.
#include "collectives/operation.h"

#include "support/failure.h"

namespace planrt {

namespace {

class AllToAll : public Operation {
  public:
    AllToAll(const Collective &collective, const Place &place) : group_(place.communicators.along(collective.axes)) {
        requests_.assign(1, MPI_REQUEST_NULL);
        const MemberBlocks member(collective.members[0], place);
        type_ = member.type;
        const std::vector<int> ranks = place.mesh.group(place.rank, collective.axes);
        std::vector<Box> sent;
        std::vector<Box> received;
        for (const int rank : ranks) {
            sent.push_back(intersect(member.own_from, member.to_box(rank)));
            received.push_back(intersect(member.own_to, member.from_box(rank)));
            sends_.add(rank == place.rank ? 0 : volume(sent.back()));
            receives_.add(rank == place.rank ? 0 : volume(received.back()));
        }
        const auto bytes = static_cast<std::int64_t>(member.bytes);
        send_ = scratch(collective, place, (std::int64_t{sends_.total()} + receives_.total()) * bytes);
        receive_ = send_ + sends_.total() * bytes;
        if (sends_.total() == 0) // Open MPI 4.1 takes equal addresses for MPI_IN_PLACE, and hangs
            send_ = member.from;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] == place.rank) {
                packing_.emplace_back(member.from, member.own_from, member.to, member.own_to, sent[i], member.bytes);
                continue;
            }
            packing_.emplace_back(member.from, member.own_from, send_ + sends_.offsets[i] * bytes, sent[i], sent[i],
                                  member.bytes);
            unpacking_.emplace_back(receive_ + receives_.offsets[i] * bytes, received[i], member.to, member.own_to,
                                    received[i], member.bytes);
        }
    }

    void start() override {
        for (const BoxCopy &copy : packing_)
            copy.run();
        check_mpi(MPI_Ialltoallv(send_, sends_.counts.data(), sends_.offsets.data(), type_, receive_,
                                 receives_.counts.data(), receives_.offsets.data(), type_, group_, requests_.data()),
                  "start");
    }

    void finish() override {
        for (const BoxCopy &copy : unpacking_)
            copy.run();
    }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Comm group_;
    std::byte *send_ = nullptr;
    std::byte *receive_ = nullptr;
    Segments sends_;    ///< per rank of the group; none to itself
    Segments receives_; ///< likewise
    std::vector<BoxCopy> packing_;
    std::vector<BoxCopy> unpacking_;
};

} // namespace

OperationPointer make_all_to_all(const Collective &collective, const Place &place, int /*tag*/) {
    return std::make_unique<AllToAll>(collective, place);
}

} // namespace planrt
