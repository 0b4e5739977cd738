#include "count/report.h"

#include "count/counters.h"
#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/json.h"

#include <sys/resource.h>

#include <algorithm>
#include <vector>

namespace planrt {

namespace {

/// Accounts of all ranks: [rank * accounts + account]. The three besides come first.
class AllCounts {
  public:
    AllCounts(int ranks, int collectives) : accounts_(static_cast<std::size_t>(3 + collectives)) {
        const Counters counted = counters(); // before this gathering is counted
        std::vector<std::int64_t> own;
        for (std::size_t account = 0; account < accounts_; ++account) {
            const Count &count = account < 3 ? counted.of(static_cast<Counters::Besides>(account))
                                             : counted.of_collective(static_cast<int>(account) - 3);
            own.insert(own.end(), {count.calls, count.bytes, count.messages, count.sent_bytes});
        }
        all_.resize(own.size() * static_cast<std::size_t>(ranks));
        const int size = static_cast<int>(own.size());
        check_mpi(MPI_Gather(own.data(), size, MPI_INT64_T, all_.data(), size, MPI_INT64_T, 0, MPI_COMM_WORLD),
                  "communication report");
    }

    [[nodiscard]] Count of(int rank, int account) const {
        const std::size_t at = 4 * (static_cast<std::size_t>(rank) * accounts_ + static_cast<std::size_t>(account));
        return {all_[at], all_[at + 1], all_[at + 2], all_[at + 3]};
    }

  private:
    std::size_t accounts_;
    std::vector<std::int64_t> all_;
};

Count predicted(const Collective &collective, int rank, std::int64_t steps) {
    if (collective.predicted.empty()) // a slice
        return {};
    const Collective::Predicted &step = collective.predicted[collective.predicted.size() == 1 ? 0 : rank];
    return {steps * step.calls, steps * step.bytes, steps * step.messages, steps * step.sent_bytes};
}

std::string json(const Count &count) {
    std::string result = text("{\"calls\": %lld, \"bytes\": %lld", static_cast<long long>(count.calls),
                              static_cast<long long>(count.bytes));
    if (count.messages > 0)
        result += text(", \"messages\": %lld, \"sent_bytes\": %lld", static_cast<long long>(count.messages),
                       static_cast<long long>(count.sent_bytes));
    return result + "}";
}

/// "3 calls with 96 bytes, in 12 messages with 128 bytes"
std::string words(const Count &count, bool by_messages) {
    std::string result =
        text("%lld calls with %lld bytes", static_cast<long long>(count.calls), static_cast<long long>(count.bytes));
    if (by_messages)
        result += text(" in %lld messages with %lld bytes", static_cast<long long>(count.messages),
                       static_cast<long long>(count.sent_bytes));
    return result;
}

/// Bytes of one rank.
struct Memory {
    std::int64_t arena;      ///< measured
    std::int64_t variables;  ///< its weights and optimizer state
    std::int64_t data;       ///< the samples that it keeps
    std::int64_t matrices;   ///< its blocks of sparse matrices
    std::int64_t primitives; ///< what oneDNN's primitives work in, besides the arena
    std::int64_t resident;   ///< the most that the process ever had
};

Memory memory_of(const Program &program, const Mesh &mesh, int rank, const Held &held) {
    Memory memory{held.high_water, 0, held.data, held.matrices, primitive_scratch_bytes(), 0};
    for (const Variable &variable : program.variables) {
        const Role role = role_of(program, variable.role);
        if (const int within = role.rank_within(mesh, rank); within >= 0)
            memory.variables += local_volume(placement_of(variable.tensor), role.mesh(mesh), within) *
                                static_cast<std::int64_t>(element_bytes(variable.tensor.type));
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    memory.resident = std::int64_t{usage.ru_maxrss} * 1024;
    return memory;
}

std::vector<Memory> memory_of_all(const Memory &own, int ranks) {
    std::vector<Memory> all(static_cast<std::size_t>(ranks));
    constexpr int numbers = sizeof(Memory) / sizeof(std::int64_t);
    check_mpi(MPI_Gather(&own, numbers, MPI_INT64_T, all.data(), numbers, MPI_INT64_T, 0, MPI_COMM_WORLD),
              "communication report");
    return all;
}

class Report {
  public:
    Report(const Program &program, const AllCounts &counts, const std::vector<Memory> &memory, std::int64_t steps)
        : program_(program), counts_(counts), memory_(memory), ranks_(static_cast<int>(memory.size())), steps_(steps) {
        for (int index = 0; index < program.training_collectives; ++index)
            add(index);
        for (int rank = 0; rank < ranks_; ++rank)
            if (const Count stray = counts.of(rank, Counters::stray); stray != Count{})
                differ(text("rank %d handed %lld bytes in %lld calls to MPI outside of any collective", rank,
                            static_cast<long long>(stray.bytes), static_cast<long long>(stray.calls)));
        if (steps > 0)
            compare_memory("buffers were used", &Memory::arena, program.arena_bytes);
        if (program.matrix_bytes > 0)
            compare_memory("blocks of matrices were made", &Memory::matrices, program.matrix_bytes);
    }

    [[nodiscard]] const std::string &difference() const { return difference_; }

    [[nodiscard]] std::string json_text(const Times *times) const {
        std::string result = text("{\n  \"program\": %s,\n  \"layout\": %s,\n  \"ranks\": %d,\n  \"mesh\": {",
                                  json_quoted(program_.name).c_str(), json_quoted(program_.layout).c_str(), ranks_);
        for (std::size_t axis = 0; axis < program_.mesh.size(); ++axis)
            result += text("%s%s: %s", axis == 0 ? "" : ", ", json_quoted(program_.mesh[axis].name).c_str(),
                           size_text(mesh_of(program_), static_cast<int>(axis)).c_str());
        result += text("},\n  \"steps\": %lld,\n  \"equal\": %s,\n  \"collectives\": [", static_cast<long long>(steps_),
                       difference_.empty() ? "true" : "false");
        result += collectives_ + (collectives_.empty() ? "" : "\n  ") + "],\n";
        result += "  \"set_up\": " + of_all_ranks(Counters::set_up) + ",\n";
        result += "  \"evaluation\": " + of_all_ranks(Counters::evaluation) + ",\n";
        return result +
               text("  \"memory\": {\"predicted\": %lld, \"measured\": ",
                    static_cast<long long>(program_.arena_bytes)) +
               memory_of_all_ranks(&Memory::arena) + ", \"variables\": " + memory_of_all_ranks(&Memory::variables) +
               ", \"data\": " + memory_of_all_ranks(&Memory::data) +
               text(", \"predicted_matrices\": %lld, \"matrices\": ", static_cast<long long>(program_.matrix_bytes)) +
               memory_of_all_ranks(&Memory::matrices) +
               ", \"primitives\": " + memory_of_all_ranks(&Memory::primitives) +
               ", \"resident\": " + memory_of_all_ranks(&Memory::resident) + "}" +
               (times == nullptr ? "" : ",\n  \"times\": " + times->json_text()) + "\n}\n";
    }

  private:
    void differ(const std::string &what) {
        if (difference_.empty())
            difference_ = what;
    }

    /// Of the rank that has most.
    void compare_memory(const char *what, std::int64_t Memory::*of, std::int64_t predicted) {
        if (const std::int64_t most = std::ranges::max(memory_, {}, of).*of; most != predicted)
            differ(text("memory: %lld bytes of %s, predicted were %lld", static_cast<long long>(most), what,
                        static_cast<long long>(predicted)));
    }

    void add(int index) {
        const Collective &collective = program_.collectives[index];
        const TrafficRow &row = program_.traffic[collective.row];
        std::string expected;
        for (int rank = 0; rank < ranks_; ++rank) {
            const Count wanted = predicted(collective, rank, steps_);
            const Count counted = counts_.of(rank, 3 + index);
            expected += (rank == 0 ? "" : ", ") + json(wanted);
            const bool by_messages = collective.algorithm != Algorithm::mpi;
            if (counted != wanted)
                differ(describe(program_, collective) + text(": rank %d made ", rank) + words(counted, by_messages) +
                       ", predicted were " + words(wanted, by_messages));
        }
        std::string axes;
        for (const int axis : collective.axes)
            axes += (axes.empty() ? "" : ", ") + json_quoted(program_.mesh[axis].name);
        collectives_ += collectives_.empty() ? "\n" : ",\n";
        collectives_ += "    {\"layer\": " + json_quoted(row.layer) + ", \"phase\": " + json_quoted(row.phase) +
                        ", \"collective\": " + json_quoted(name_of(collective.kind)) +
                        ", \"tensor\": " + json_quoted(row.tensor) + ", \"axes\": [" + axes +
                        "], \"algorithm\": " + json_quoted(name_of(collective.algorithm)) + ",\n" +
                        "     \"predicted\": [" + expected + "],\n     \"measured\": " + of_all_ranks(3 + index) + "}";
    }

    [[nodiscard]] std::string of_all_ranks(int account) const {
        std::string result = "[";
        for (int rank = 0; rank < ranks_; ++rank)
            result += (rank == 0 ? "" : ", ") + json(counts_.of(rank, account));
        return result + "]";
    }

    [[nodiscard]] std::string memory_of_all_ranks(std::int64_t Memory::*what) const {
        std::string result;
        for (const Memory &memory : memory_)
            result += text("%s%lld", result.empty() ? "[" : ", ", static_cast<long long>(memory.*what));
        return result + "]";
    }

    const Program &program_;
    const AllCounts &counts_;
    const std::vector<Memory> &memory_; ///< per rank
    int ranks_;
    std::int64_t steps_;
    std::string collectives_; ///< JSON
    std::string difference_;  ///< the first one, in words
};

} // namespace

bool report_communication(const Program &program, const Mesh &mesh, int rank, std::int64_t steps, const Held &held,
                          const Times *times, const std::string &path) {
    const AllCounts counts(mesh.ranks(), static_cast<int>(program.collectives.size()));
    const std::vector<Memory> memory = memory_of_all(memory_of(program, mesh, rank, held), mesh.ranks());
    int different = 0;
    together([&] {
        if (rank != 0)
            return;
        const Report report(program, counts, memory, steps);
        AtomicFile file(path);
        file.write(report.json_text(times));
        file.commit();
        if (report.difference().empty())
            return;
        different = 1;
        say_error(report.difference() + " (" + path + ")");
    });
    int any = 0;
    check_mpi(MPI_Allreduce(&different, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "communication report");
    return any == 0;
}

} // namespace planrt
