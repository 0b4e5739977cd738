#include "checkpoint/gather.h"

#include "collectives/box_copy.h"
#include "mesh/pieces.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>

namespace planrt {

namespace {

constexpr std::size_t most = std::size_t{1} << 30; // bytes in one message

/// Whether the rank sends its elements, of all ranks that hold the same ones: it has coordinate 0 on all axes that hold
/// replicas.
bool speaks_for_its_elements(const Placement &placement, const Mesh &mesh, int rank) {
    std::vector<int> coordinates = mesh.coordinates(rank);
    for (const DimensionPlacement &dimension : placement.dimensions)
        for (const int axis : dimension.axes)
            coordinates[axis] = 0;
    for (const int axis : placement.stored)
        coordinates[axis] = 0;
    return std::ranges::all_of(coordinates, [](int coordinate) { return coordinate == 0; });
}

void send(const std::byte *elements, std::size_t bytes, const char *purpose) {
    for (std::size_t done = 0; done < bytes; done += most)
        check_mpi(
            MPI_Send(elements + done, static_cast<int>(std::min(most, bytes - done)), MPI_BYTE, 0, 0, MPI_COMM_WORLD),
            purpose);
}

void receive(std::byte *elements, std::size_t bytes, int from, const char *purpose) {
    for (std::size_t done = 0; done < bytes; done += most)
        check_mpi(MPI_Recv(elements + done, static_cast<int>(std::min(most, bytes - done)), MPI_BYTE, from, 0,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  purpose);
}

/// Puts the elements of a whole tensor where the file has them.
void to_order_of_file(const FileNumbers &numbers, const Tensor &tensor, std::vector<std::byte> &whole) {
    Box all;
    for (const Dimension &dimension : tensor.dimensions)
        all.push_back({0, dimension.extent});
    const auto bytes = static_cast<std::int64_t>(element_bytes(tensor.type));
    const std::vector<std::byte> elements = whole;
    auto from = elements.begin();
    numbers.for_each_run(tensor, all, [&](std::int64_t first, std::int64_t count) {
        std::copy_n(from, count * bytes, whole.begin() + first * bytes);
        from += count * bytes;
    });
}

} // namespace

void gather(const Tensor &tensor, const Role &role, const FileNumbers &numbers, const Mesh &mesh, int rank,
            const std::byte *arena, std::vector<std::byte> &whole, const char *purpose) {
    const Placement placement = placement_of(tensor);
    const Mesh own_mesh = role.mesh(mesh);
    const int within = role.rank_within(mesh, rank); // of the role; -1: the rank has another role
    const std::size_t bytes = element_bytes(tensor.type);
    const std::byte *own = arena + tensor.offset;
    const auto bytes_of = [&](int of) {
        return static_cast<std::size_t>(local_volume(placement, own_mesh, of)) * bytes;
    };
    if (rank != 0) {
        if (within >= 0 && speaks_for_its_elements(placement, own_mesh, within))
            send(own, bytes_of(within), purpose);
        return;
    }
    Box all;
    for (const Dimension &dimension : tensor.dimensions)
        all.push_back({0, dimension.extent});
    whole.resize(static_cast<std::size_t>(volume(all)) * bytes);
    std::vector<std::byte> received;
    for (int other = 0; other < own_mesh.ranks(); ++other) {
        if (!speaks_for_its_elements(placement, own_mesh, other))
            continue;
        const std::byte *from = own;
        if (other != within) {
            received.resize(bytes_of(other));
            receive(received.data(), received.size(), role.rank_of(mesh, other), purpose);
            from = received.data();
        }
        for (const Box &piece : pieces(placement, own_mesh, other)) {
            BoxCopy(from, piece, whole.data(), all, piece, bytes).run();
            from += static_cast<std::size_t>(volume(piece)) * bytes;
        }
    }
    if (numbers.differ(tensor))
        to_order_of_file(numbers, tensor, whole);
}

} // namespace planrt
