#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <limits>

namespace planrt {

MemberBlocks::MemberBlocks(const Collective::Member &member, const Place &place)
    : mesh(place.mesh), from_placement(placement_of(member.from)), to_placement(placement_of(member.to)),
      own_from(local_box(from_placement, mesh, place.rank)), own_to(local_box(to_placement, mesh, place.rank)),
      from(place.arena + member.from.offset), to(place.arena + member.to.offset),
      bytes(element_bytes(member.from.type)), type(datatype_of(member.from.type)) {}

int mpi_count(std::int64_t elements) {
    if (elements > std::numeric_limits<int>::max())
        throw Failure(text("%lld elements in one call, but MPI counts to 2147483647: split the tensor over more ranks",
                           static_cast<long long>(elements)));
    return static_cast<int>(elements);
}

void Segments::add(std::int64_t elements) {
    const std::int64_t end = std::int64_t{total()} + elements;
    offsets.push_back(total());
    counts.push_back(mpi_count(end) - offsets.back());
}

std::byte *scratch(const Collective &collective, const Place &place, std::int64_t bytes) {
    if (bytes > collective.scratch_bytes)
        throw Failure(text("internal error of the compiler: %lld bytes of scratch reserved, %lld needed",
                           static_cast<long long>(collective.scratch_bytes), static_cast<long long>(bytes)));
    return place.arena + collective.scratch_offset;
}

namespace {

void check_members(const Collective &collective) {
    if (collective.members.empty())
        throw Failure("internal error of the compiler: a collective without members");
    if (collective.members.size() > 1 && collective.kind != CollectiveKind::all_reduce)
        throw Failure("internal error of the compiler: only all-reduces are fused");
    const Tensor &first = collective.members[0].from;
    for (const Collective::Member &member : collective.members)
        if (member.from.type != first.type || member.to.type != first.type || member.from.reduction != first.reduction)
            throw Failure("internal error of the compiler: members of one collective differ in type or reduction");
}

} // namespace

OperationPointer make_operation(const Collective &collective, const Place &place, int index) {
    check_members(collective);
    switch (collective.kind) {
    case CollectiveKind::slice:
        return make_slice(collective, place);
    case CollectiveKind::all_reduce:
        return make_all_reduce(collective, place);
    case CollectiveKind::reduce_scatter:
        return make_reduce_scatter(collective, place);
    case CollectiveKind::all_gather:
        return make_all_gather(collective, place);
    case CollectiveKind::all_to_all:
        return make_all_to_all(collective, place);
    case CollectiveKind::exchange:
        return make_exchange(collective, place, index);
    }
    throw Failure("internal error of the compiler: an unknown kind of collective");
}

} // namespace planrt
