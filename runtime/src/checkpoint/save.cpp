#include "checkpoint/checkpoint.h"

#include "checkpoint/safetensors.h"
#include "collectives/box_copy.h"
#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace planrt {

namespace {

constexpr std::size_t piece = std::size_t{1} << 30; // bytes in one message

std::vector<StoredTensor> stored_tensors(const Program &program) {
    std::vector<StoredTensor> result;
    std::uint64_t end = 0;
    for (const Variable &variable : program.variables) {
        if (!variable.trained)
            continue;
        StoredTensor tensor{variable.name, variable.tensor.type, {}, end, end};
        std::uint64_t bytes = element_bytes(variable.tensor.type);
        for (const Dimension &dimension : variable.tensor.dimensions) {
            tensor.shape.push_back(dimension.extent);
            bytes *= static_cast<std::uint64_t>(dimension.extent);
        }
        end = tensor.end = tensor.begin + bytes;
        result.push_back(tensor);
    }
    return result;
}

/// Of the ranks that hold the same block the one that sends it: coordinate 0 on all axes that do not cut the tensor.
bool speaks_for_its_block(const Placement &placement, const Mesh &mesh, int rank) {
    std::vector<int> coordinates = mesh.coordinates(rank);
    for (const DimensionPlacement &dimension : placement.dimensions)
        for (const int axis : dimension.axes)
            coordinates[axis] = 0;
    return std::ranges::all_of(coordinates, [](int coordinate) { return coordinate == 0; });
}

void send(const std::byte *block, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += piece)
        check_mpi(
            MPI_Send(block + done, static_cast<int>(std::min(piece, bytes - done)), MPI_BYTE, 0, 0, MPI_COMM_WORLD),
            "saving weights");
}

void receive(std::byte *block, std::size_t bytes, int from) {
    for (std::size_t done = 0; done < bytes; done += piece)
        check_mpi(MPI_Recv(block + done, static_cast<int>(std::min(piece, bytes - done)), MPI_BYTE, from, 0,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "saving weights");
}

/// The whole tensor, on rank 0; the others send their block.
void gather(const Tensor &tensor, const Mesh &mesh, int rank, const std::byte *arena, std::vector<std::byte> &whole,
            std::vector<std::byte> &block) {
    const Placement placement = placement_of(tensor);
    const std::size_t bytes = element_bytes(tensor.type);
    const std::byte *own = arena + tensor.offset;
    if (rank != 0) {
        if (speaks_for_its_block(placement, mesh, rank))
            send(own, static_cast<std::size_t>(volume(local_box(placement, mesh, rank))) * bytes);
        return;
    }
    Box all;
    for (const Dimension &dimension : tensor.dimensions)
        all.push_back({0, dimension.extent});
    whole.resize(static_cast<std::size_t>(volume(all)) * bytes);
    for (int other = 0; other < mesh.ranks(); ++other) {
        if (!speaks_for_its_block(placement, mesh, other))
            continue;
        const Box box = local_box(placement, mesh, other);
        const std::byte *from = own;
        if (other != 0) {
            block.resize(static_cast<std::size_t>(volume(box)) * bytes);
            receive(block.data(), block.size(), other);
            from = block.data();
        }
        BoxCopy(from, box, whole.data(), all, box, bytes).run();
    }
}

} // namespace

void save_weights(const Program &program, const Mesh &mesh, int rank, const std::byte *arena, const std::string &path) {
    // Rank 0 keeps receiving after a failure to write: the others are sending. The failure is told at the end.
    std::string reason;
    std::optional<AtomicFile> file;
    const auto attempt = [&](const auto &write) {
        if (rank != 0 || !reason.empty())
            return;
        try {
            write();
        } catch (const Failure &failure) {
            reason = failure.what();
        }
    };
    attempt([&] {
        file.emplace(path);
        const std::string header = safetensors_header(stored_tensors(program));
        file->write(header);
    });
    std::vector<std::byte> whole;
    std::vector<std::byte> block;
    for (const Variable &variable : program.variables) {
        if (!variable.trained)
            continue;
        gather(variable.tensor, mesh, rank, arena, whole, block);
        attempt([&] { file->write(whole.data(), whole.size()); });
    }
    attempt([&] { file->commit(); });
    file.reset(); // a partial file goes before the failure is told
    const int failed = reason.empty() ? 0 : 1;
    if (failed != 0)
        say_error(reason);
    int any = 0;
    check_mpi(MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "saving weights");
    if (any != 0)
        throw CommonFailure("", exit_failure);
}

} // namespace planrt
