#include "collectives/operation.h"

#include "collectives/message_rounds.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>

namespace planrt {

Operation::Operation() = default;
Operation::~Operation() = default;

void Operation::run_by_messages(const Collective &collective, const Place &place, int tag, std::byte *vector,
                                std::int64_t packed) {
    rounds_ = std::make_unique<MessageRounds>(collective, place, tag, vector, packed);
}

bool Operation::test() {
    if (rounds_)
        return rounds_->test();
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE), "wait");
    return done != 0;
}

void Operation::wait() {
    if (rounds_)
        return rounds_->wait();
    check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "wait");
}

void Operation::add_requests(std::vector<MPI_Request *> &requests) {
    if (rounds_)
        return rounds_->add_requests(requests);
    for (MPI_Request &request : requests_)
        requests.push_back(&request);
}

bool Operation::advance() {
    if (rounds_)
        return rounds_->advance();
    return std::ranges::all_of(requests_, [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
}

void Operation::next_piece() {
    rounds_->allow(rounds_->done() + 1);
}

void Operation::all_pieces() {
    rounds_->allow(pieces_.size());
}

std::vector<int> group_axes(const Collective &collective) {
    if (collective.members.empty()) // reported by make_operation()
        return {collective.axes.begin(), collective.axes.end()};
    const auto &[from, to] = collective.members[0];
    return block_axes(placement_of(from), placement_of(to), collective.axes);
}

MemberBlocks::MemberBlocks(const Collective::Member &member, const Place &place)
    : mesh(place.mesh), from_placement(placement_of(member.from)), to_placement(placement_of(member.to)),
      flat(is_flat(from_placement, to_placement)), own_from(from_box(place.rank)), own_to(to_box(place.rank)),
      from(place.at(member.from.offset)), to(place.at(member.to.offset)), bytes(element_bytes(member.from.type)),
      type(datatype_of(member.from.type)) {}

int mpi_count(std::int64_t elements, std::int64_t most) {
    if (elements > most)
        throw Failure(text("%lld elements in one call, but MPI counts to %lld: split the tensor over more ranks",
                           static_cast<long long>(elements), static_cast<long long>(most)));
    return static_cast<int>(elements);
}

CountedSegments counted(const Segments &segments, std::int64_t most) {
    static_cast<void>(mpi_count(segments.total(), most));
    CountedSegments result;
    for (const Range &part : segments.parts) {
        result.counts.push_back(static_cast<int>(part.size()));
        result.offsets.push_back(static_cast<int>(part.begin));
    }
    return result;
}

std::byte *scratch(const Collective &collective, const Place &place, std::int64_t bytes) {
    if (bytes > collective.scratch_bytes)
        throw Failure(text("internal error of the compiler: %lld bytes of scratch reserved, %lld needed",
                           static_cast<long long>(collective.scratch_bytes), static_cast<long long>(bytes)));
    return place.at(collective.scratch_offset);
}

namespace {

/// Checks the conditions that layout.h states for flat steps.
void check_flat(const Collective &collective) {
    const bool known = collective.kind != CollectiveKind::all_to_all && collective.kind != CollectiveKind::exchange;
    const Placement from = placement_of(collective.members[0].from);
    const Placement to = placement_of(collective.members[0].to);
    if (!is_flat(from, to))
        return;
    const auto [end, other_end] = std::ranges::mismatch(from.stored, to.stored);
    const bool nested = end == from.stored.end() || other_end == to.stored.end();
    if (!known || !nested || from.dimensions != to.dimensions)
        throw Failure("internal error of the compiler: stored tensors that no flat step can turn into each other");
}

/// Checks that steps() supports the collective.
void check_method(const Collective &collective, const Mesh &mesh) {
    if (collective.algorithm == Algorithm::mpi)
        return;
    int members = 1;
    for (const int size : collective.shape)
        members *= size;
    int ranks = 1;
    for (const int axis : collective.axes)
        ranks *= mesh.sizes[axis];
    const bool has_steps = collective.kind == CollectiveKind::all_reduce ||
                           collective.kind == CollectiveKind::reduce_scatter ||
                           collective.kind == CollectiveKind::all_gather;
    if (!has_steps || members != ranks)
        throw Failure("internal error of the compiler: an algorithm that the collective or its group does not have");
}

void check_members(const Collective &collective) {
    if (collective.members.empty())
        throw Failure("internal error of the compiler: a collective without members");
    if (collective.members.size() > 1 && collective.kind != CollectiveKind::all_reduce)
        throw Failure("internal error of the compiler: only all-reduces are fused");
    check_flat(collective);
    const Tensor &first = collective.members[0].from;
    for (const Collective::Member &member : collective.members)
        if (member.from.type != first.type || member.to.type != first.type || member.from.reduction != first.reduction)
            throw Failure("internal error of the compiler: members of one collective differ in type or reduction");
}

} // namespace

bool is_in_slots(const Collective &collective, const RoleProgram &role) {
    const auto inside = [&](std::int64_t offset) {
        return offset >= role.slot_offset && offset < role.slot_offset + role.slot_bytes;
    };
    return role.slots > 1 && ((collective.scratch_bytes > 0 &&
                               (inside(collective.scratch_offset) || inside(collective.to_scratch_offset))) ||
                              std::ranges::any_of(collective.members, [&](const Collective::Member &member) {
                                  return inside(member.from.offset) || inside(member.to.offset);
                              }));
}

OperationPointer make_operation(const Collective &collective, const Place &place, int index) {
    check_members(collective);
    if (is_transfer(collective))
        return make_transfer(collective, place, index);
    check_method(collective, place.mesh);
    if (collective.staged)
        return make_staged_gather(collective, place, index);
    switch (collective.kind) {
    case CollectiveKind::slice:
        return make_slice(collective, place);
    case CollectiveKind::all_reduce:
        return make_all_reduce(collective, place, index);
    case CollectiveKind::reduce_scatter:
        return make_reduce_scatter(collective, place, index);
    case CollectiveKind::all_gather:
        return make_all_gather(collective, place, index);
    case CollectiveKind::all_to_all:
        return make_all_to_all(collective, place, index);
    case CollectiveKind::exchange:
        return make_exchange(collective, place, index);
    }
    throw Failure("internal error of the compiler: an unknown kind of collective");
}

} // namespace planrt
