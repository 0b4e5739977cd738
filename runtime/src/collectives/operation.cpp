#include "collectives/operation.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>
#include <limits>

namespace planrt {

bool is_flat(const Collective &collective) {
    return !collective.members[0].from.stored.empty() || !collective.members[0].to.stored.empty();
}

namespace {

/// By what the longer list is longer; `otherwise` where they are equally long.
std::vector<int> difference(std::span<const int> a, std::span<const int> b, std::span<const int> otherwise) {
    if (a.size() == b.size())
        return {otherwise.begin(), otherwise.end()};
    const std::span<const int> longer = a.size() > b.size() ? a : b;
    return {longer.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), longer.end()};
}

} // namespace

std::vector<int> group_axes(const Collective &collective) {
    if (collective.members.empty()) // told by make_operation()
        return {collective.axes.begin(), collective.axes.end()};
    const auto &[from, to] = collective.members[0];
    if (is_flat(collective))
        return difference(from.stored, to.stored, collective.axes);
    std::vector<int> result;
    for (std::size_t d = 0; d < from.dimensions.size() && d < to.dimensions.size(); ++d) {
        if (from.dimensions[d].axes.size() == to.dimensions[d].axes.size())
            continue;
        if (!result.empty()) // several dimensions: packed in any order
            return {collective.axes.begin(), collective.axes.end()};
        result = difference(from.dimensions[d].axes, to.dimensions[d].axes, collective.axes);
    }
    return result.size() == collective.axes.size() ? result
                                                   : std::vector<int>(collective.axes.begin(), collective.axes.end());
}

MemberBlocks::MemberBlocks(const Collective::Member &member, const Place &place)
    : mesh(place.mesh), from_placement(placement_of(member.from)), to_placement(placement_of(member.to)),
      flat(!member.from.stored.empty() || !member.to.stored.empty()), own_from(from_box(place.rank)),
      own_to(to_box(place.rank)), from(place.arena + member.from.offset), to(place.arena + member.to.offset),
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

/// What layout.h says of flat steps.
void check_flat(const Collective &collective) {
    const bool known = collective.kind != CollectiveKind::all_to_all && collective.kind != CollectiveKind::exchange;
    const Placement from = placement_of(collective.members[0].from);
    const Placement to = placement_of(collective.members[0].to);
    const auto [end, other_end] = std::ranges::mismatch(from.stored, to.stored);
    const bool nested = end == from.stored.end() || other_end == to.stored.end();
    if (!known || !nested || from.dimensions != to.dimensions)
        throw Failure("internal error of the compiler: stored tensors that no flat step can turn into each other");
}

void check_members(const Collective &collective) {
    if (collective.members.empty())
        throw Failure("internal error of the compiler: a collective without members");
    if (collective.members.size() > 1 && collective.kind != CollectiveKind::all_reduce)
        throw Failure("internal error of the compiler: only all-reduces are fused");
    if (is_flat(collective))
        check_flat(collective);
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
