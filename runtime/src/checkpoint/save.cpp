#include "checkpoint/checkpoint.h"

#include "checkpoint/gather.h"
#include "checkpoint/run_state.h"
#include "mesh/file_numbers.h"
#include "mesh/tensors.h"
#include "support/checksum.h"
#include "support/failure.h"
#include "support/file.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace planrt {

namespace {

std::vector<StoredTensor> stored_tensors(const std::vector<const Variable *> &variables) {
    std::vector<StoredTensor> result;
    std::uint64_t end = 0;
    for (const Variable *variable : variables) {
        StoredTensor tensor{variable->name, variable->tensor.type, {}, end, end};
        std::uint64_t bytes = element_bytes(variable->tensor.type);
        for (const Dimension &dimension : variable->tensor.dimensions) {
            tensor.shape.push_back(dimension.extent);
            bytes *= static_cast<std::uint64_t>(dimension.extent);
        }
        end = tensor.end = tensor.begin + bytes;
        result.push_back(tensor);
    }
    return result;
}

/// Writes the file on rank 0 and nothing on other ranks. After a failure to write, rank 0 continues, because the others
/// are still sending; it reports the failure at the end.
class SafetensorsWriter {
  public:
    SafetensorsWriter(const std::string &path, int rank) : writes_(rank == 0) {
        attempt([&] { file_.emplace(path); });
    }

    void write_header(const std::string &header) {
        checksum_at_ = checksum_place(header);
        write(header.data(), header.size());
    }

    void write(const void *bytes, std::size_t count) {
        attempt([&] {
            sum_.add(bytes, count);
            file_->write(bytes, count);
        });
    }

    /// Collective over the world.
    void finish() {
        attempt([&] {
            if (checksum_at_ != std::string::npos)
                file_->overwrite(checksum_at_, sum_.digits());
            file_->commit();
        });
        file_.reset(); // removes the partial file before the failure is reported
        const int failed = reason_.empty() ? 0 : 1;
        if (failed != 0)
            say_error(reason_);
        int any = 0;
        check_mpi(MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "saving weights");
        if (any != 0)
            throw CommonFailure("", exit_failure);
    }

  private:
    template <class Action> void attempt(const Action &action) {
        if (!writes_ || !reason_.empty())
            return;
        try {
            action();
        } catch (const Failure &failure) {
            reason_ = failure.what();
        }
    }

    bool writes_;
    std::optional<AtomicFile> file_;
    Checksum sum_;
    std::size_t checksum_at_ = std::string::npos;
    std::string reason_; ///< of the first failure
};

void save(const Program &program, const std::vector<const Variable *> &variables, const Metadata &metadata,
          const Mesh &mesh, int rank, const std::byte *arena, const std::string &path) {
    SafetensorsWriter writer(path, rank);
    writer.write_header(safetensors_header(stored_tensors(variables), metadata));
    const FileNumbers numbers(program.order);
    std::vector<std::byte> whole; // empty on other ranks
    for (const Variable *variable : variables) {
        gather(variable->tensor, role_of(program, variable->role), numbers, mesh, rank, arena, whole, "saving weights");
        writer.write(whole.data(), whole.size());
    }
    writer.finish();
}

} // namespace

void save_weights(const Program &program, const Mesh &mesh, int rank, const std::byte *arena, const std::string &path) {
    std::vector<const Variable *> weights;
    for (const Variable &variable : program.variables)
        if (variable.of_model && !variable.is_copy)
            weights.push_back(&variable);
    save(program, weights, {}, mesh, rank, arena, path);
}

void save_checkpoint(const Program &program, const Mesh &mesh, int rank, const std::byte *arena,
                     const std::string &path, const RunState &state) {
    std::vector<const Variable *> all;
    for (const Variable &variable : program.variables)
        if (!variable.is_copy)
            all.push_back(&variable);
    save(program, all, metadata_of(state), mesh, rank, arena, path);
}

} // namespace planrt
