// A collective of a program, ready to run: communicator, counts and packing plans are made at set-up; start() and
// finish() only copy and call MPI. One file per family makes its own kind; make_operation() chooses.
#pragma once

#include "collectives/box_copy.h"
#include "collectives/contents.h"
#include "mesh/communicators.h"

#include <planrt/planrt.h>

#include <memory>
#include <vector>

namespace planrt {

/// The facts about a rank that the makers need.
struct Place {
    const Mesh &mesh; ///< of the rank's role
    int rank;         ///< within it
    const Context &context;
    Communicators &communicators;
    const Program &program;
    int world_rank;                                   ///< in the whole mesh
    std::int64_t most_counted = planrt::most_counted; ///< elements that MPI counts at once

    /// The place of `offset` in the slot of the context.
    [[nodiscard]] std::byte *at(std::int64_t offset) const { return context.at<std::byte>(offset); }
};

class MessageRounds;

class Operation {
  public:
    Operation();
    Operation(const Operation &) = delete;
    Operation &operator=(const Operation &) = delete;
    virtual ~Operation();
    /// Packs and starts; the requests are then in progress.
    virtual void start() = 0;
    /// Lets the operation advance. Returns true once everything has arrived.
    [[nodiscard]] bool test();
    /// Waits until everything has arrived.
    void wait();
    /// Appends pointers to the active requests. A simulation waits for any request of several operations and then calls
    /// advance() where requests have become null.
    void add_requests(std::vector<MPI_Request *> &requests);
    /// Continues after the requests became null. Returns true once everything has arrived.
    [[nodiscard]] bool advance();
    /// Unpacks after everything has arrived.
    virtual void finish() = 0;
    /// Whether the operation advances only in test() and wait(). If so, it must be tested while another operation is
    /// waited for, because some rank may need its messages first.
    [[nodiscard]] bool by_messages() const { return rounds_ != nullptr; }
    /// Of a staged gather; else empty. start() begins with the piece behind the first, which is the rank's own block;
    /// then it is complete when this piece has arrived. next_piece() begins with the next one, where the piece before
    /// last was; all_pieces() with all of them, whatever becomes of their contents.
    [[nodiscard]] const std::vector<Piece<std::byte>> &pieces() const { return pieces_; }
    void next_piece();
    void all_pieces();

  protected:
    /// Makes start() begin message rounds on `vector` (Procedure) instead of calling MPI. The first `packed` elements
    /// of scratch are in use.
    void run_by_messages(const Collective &collective, const Place &place, int tag, std::byte *vector,
                         std::int64_t packed);

    std::unique_ptr<MessageRounds> rounds_; ///< null: MPI's own call
    std::vector<MPI_Request> requests_;     ///< active requests; sized at set-up
    std::vector<Piece<std::byte>> pieces_;
};

/// block_axes() of a collective.
[[nodiscard]] std::vector<int> group_axes(const Collective &collective);

/// One member of a collective as this rank sees it: its blocks before and after, and their buffers. In a flat step a
/// block is a range of the flattened box, a box of one dimension.
struct MemberBlocks {
    MemberBlocks(const Collective::Member &member, const Place &place);
    /// The block of another rank under `from` or `to`.
    [[nodiscard]] Box from_box(int rank) const { return box(from_placement, rank); }
    [[nodiscard]] Box to_box(int rank) const { return box(to_placement, rank); }
    [[nodiscard]] std::int64_t from_elements() const { return volume(own_from); }
    [[nodiscard]] std::int64_t to_elements() const { return volume(own_to); }

    const Mesh &mesh;
    Placement from_placement;
    Placement to_placement;
    bool flat;
    Box own_from;
    Box own_to;
    std::byte *from;
    std::byte *to;
    std::size_t bytes; ///< of an element
    MPI_Datatype type;

  private:
    [[nodiscard]] Box box(const Placement &placement, int rank) const {
        return flat ? Box{stored_range(placement, mesh, rank)} : local_box(placement, mesh, rank);
    }
};

/// The parts of a packed buffer, one for each peer, one after another.
struct Segments {
    std::vector<Range> parts; ///< elements
    [[nodiscard]] std::int64_t total() const { return parts.empty() ? 0 : parts.back().end; }
    void add(std::int64_t elements) { parts.push_back({total(), total() + elements}); }
};

/// The same as arguments of MPI.
struct CountedSegments {
    std::vector<int> counts;
    std::vector<int> offsets;
};
/// Errors: Failure if there are more than `most` elements in all.
[[nodiscard]] CountedSegments counted(const Segments &segments, std::int64_t most);

/// Narrows a number of elements to MPI's int. Errors: Failure if there are more than `most`; the compiler makes larger
/// collectives run by messages.
[[nodiscard]] int mpi_count(std::int64_t elements, std::int64_t most);

/// The arena bytes for packing; Failure if the program reserved fewer than `bytes`.
[[nodiscard]] std::byte *scratch(const Collective &collective, const Place &place, std::int64_t bytes);

using OperationPointer = std::unique_ptr<Operation>;
/// `tag` distinguishes the messages of operations that run at the same time.
[[nodiscard]] OperationPointer make_slice(const Collective &collective, const Place &place);
[[nodiscard]] OperationPointer make_all_reduce(const Collective &collective, const Place &place, int tag);
[[nodiscard]] OperationPointer make_reduce_scatter(const Collective &collective, const Place &place, int tag);
[[nodiscard]] OperationPointer make_all_gather(const Collective &collective, const Place &place, int tag);
[[nodiscard]] OperationPointer make_all_to_all(const Collective &collective, const Place &place, int tag);
[[nodiscard]] OperationPointer make_exchange(const Collective &collective, const Place &place, int tag);
[[nodiscard]] OperationPointer make_staged_gather(const Collective &collective, const Place &place, int tag);
/// An exchange between roles: the part that this rank sends or receives.
[[nodiscard]] OperationPointer make_transfer(const Collective &collective, const Place &place, int tag);

/// Whether the collective is an exchange between roles, or between stages of one role.
[[nodiscard]] inline bool is_transfer(const Collective &collective) {
    return collective.to_role >= 0;
}
/// Whether any of its buffers is in the slots of the role. If so, each slot has a separate operation.
[[nodiscard]] bool is_in_slots(const Collective &collective, const RoleProgram &role);

/// Collective over the ranks of the role (communicators are made). Errors: Failure without the collective's name.
[[nodiscard]] OperationPointer make_operation(const Collective &collective, const Place &place, int index);

} // namespace planrt
