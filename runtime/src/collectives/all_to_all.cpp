// All-to-all: a cut moves from one dimension to another; each rank sends every other rank of the group the part of its
// block that the other one needs. The part that stays is copied and never handed to MPI. If a block has more elements
// than MPI counts, MPI gets a type for each part.
#include "collectives/operation.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

namespace {

class AllToAll : public Operation {
  public:
    AllToAll(const Collective &collective, const Place &place)
        : group_(place.communicators.along(collective.axes)), types_(place.most_counted) {
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
        send_ = scratch(collective, place, (sends_.total() + receives_.total()) * bytes);
        receive_ = send_ + sends_.total() * bytes;
        if (sends_.total() == 0) // Open MPI 4.1 takes equal addresses for MPI_IN_PLACE, and hangs
            send_ = member.from;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if (ranks[i] == place.rank) {
                packing_.emplace_back(member.from, member.own_from, member.to, member.own_to, sent[i], member.bytes);
                continue;
            }
            packing_.emplace_back(member.from, member.own_from, send_ + sends_.parts[i].begin * bytes, sent[i], sent[i],
                                  member.bytes);
            unpacking_.emplace_back(receive_ + receives_.parts[i].begin * bytes, received[i], member.to, member.own_to,
                                    received[i], member.bytes);
        }
        // The largest block of any rank, so that all ranks of the group decide alike.
        const std::int64_t largest = std::max(largest_volume(member.from_placement, place.mesh),
                                              largest_volume(member.to_placement, place.mesh));
        by_types_ = largest > place.most_counted;
        if (by_types_) {
            of_sends_ = typed(sends_, bytes);
            of_receives_ = typed(receives_, bytes);
        } else {
            counted_sends_ = counted(sends_, place.most_counted);
            counted_receives_ = counted(receives_, place.most_counted);
        }
    }

    void start() override {
        for (const BoxCopy &copy : packing_)
            copy.run();
        check_mpi(by_types_
                      ? MPI_Ialltoallw(send_, of_sends_.counts.data(), of_sends_.offsets.data(), of_sends_.types.data(),
                                       receive_, of_receives_.counts.data(), of_receives_.offsets.data(),
                                       of_receives_.types.data(), group_, requests_.data())
                      : MPI_Ialltoallv(send_, counted_sends_.counts.data(), counted_sends_.offsets.data(), type_,
                                       receive_, counted_receives_.counts.data(), counted_receives_.offsets.data(),
                                       type_, group_, requests_.data()),
                  "start");
    }

    void finish() override {
        for (const BoxCopy &copy : unpacking_)
            copy.run();
    }

  private:
    /// Each part is one element of a separate type, which contains its position.
    struct TypedSegments {
        std::vector<int> counts;  ///< 1, of an empty part 0
        std::vector<int> offsets; ///< 0
        std::vector<MPI_Datatype> types;
    };

    TypedSegments typed(const Segments &segments, std::int64_t element_bytes) {
        TypedSegments result;
        for (const Range &part : segments.parts) {
            const bool empty = part.size() == 0;
            result.counts.push_back(empty ? 0 : 1);
            result.offsets.push_back(0);
            result.types.push_back(empty ? type_ : types_.type_of({part}, type_, element_bytes));
        }
        return result;
    }

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Comm group_;
    MessageTypes types_;
    std::byte *send_ = nullptr;
    std::byte *receive_ = nullptr;
    Segments sends_;    ///< per rank of the group; none to itself
    Segments receives_; ///< likewise
    CountedSegments counted_sends_;
    CountedSegments counted_receives_;
    bool by_types_ = false; ///< instead
    TypedSegments of_sends_;
    TypedSegments of_receives_;
    std::vector<BoxCopy> packing_;
    std::vector<BoxCopy> unpacking_;
};

} // namespace

OperationPointer make_all_to_all(const Collective &collective, const Place &place, int /*tag*/) {
    return std::make_unique<AllToAll>(collective, place);
}

} // namespace planrt
