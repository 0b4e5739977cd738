// A collective of a program, ready to run: communicator, counts and packing plans are made at set-up; start() and
// finish() only copy and call MPI. One file per family makes its own kind; make_operation() chooses.
#pragma once

#include "collectives/box_copy.h"
#include "mesh/communicators.h"

#include <planrt/planrt.h>

#include <memory>
#include <vector>

namespace planrt {

/// What the makers need to know of a rank.
struct Place {
    const Mesh &mesh;
    int rank;
    std::byte *arena;
    Communicators &communicators;
};

class Operation {
  public:
    virtual ~Operation() = default;
    /// Packs and starts; the requests are then in progress.
    virtual void start() = 0;
    /// Unpacks, once all requests are complete.
    virtual void finish() = 0;
    [[nodiscard]] std::vector<MPI_Request> &requests() { return requests_; }

  protected:
    std::vector<MPI_Request> requests_; ///< sized at set-up
};

/// A step between placements with stored axes: of ranges of the flattened box, see CollectiveKind.
[[nodiscard]] bool is_flat(const Collective &collective);

/// The axes of the collective's group in the order in which its members' blocks follow one another: as they are stored,
/// or as they cut the dimension that a gather makes whole.
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

/// A part of a packed buffer for one peer: counts and offsets in elements, as MPI wants them.
struct Segments {
    std::vector<int> counts;
    std::vector<int> offsets;
    [[nodiscard]] int total() const { return offsets.empty() ? 0 : offsets.back() + counts.back(); }
    /// Throws Failure where MPI's int cannot count the elements.
    void add(std::int64_t elements);
};

/// Narrows a number of elements for MPI; Failure where it does not fit.
[[nodiscard]] int mpi_count(std::int64_t elements);

/// The arena bytes for packing; Failure if the program reserved fewer than `bytes`.
[[nodiscard]] std::byte *scratch(const Collective &collective, const Place &place, std::int64_t bytes);

using OperationPointer = std::unique_ptr<Operation>;
[[nodiscard]] OperationPointer make_slice(const Collective &collective, const Place &place);
[[nodiscard]] OperationPointer make_all_reduce(const Collective &collective, const Place &place);
[[nodiscard]] OperationPointer make_reduce_scatter(const Collective &collective, const Place &place);
[[nodiscard]] OperationPointer make_all_gather(const Collective &collective, const Place &place);
[[nodiscard]] OperationPointer make_all_to_all(const Collective &collective, const Place &place);
/// `tag` keeps the messages of exchanges that are under way at once apart.
[[nodiscard]] OperationPointer make_exchange(const Collective &collective, const Place &place, int tag);

/// Collective over the world (communicators are made). Errors: Failure without the collective's name.
[[nodiscard]] OperationPointer make_operation(const Collective &collective, const Place &place, int index);

} // namespace planrt
