#include "cost/machine.h"

#include "sema/program.h"

#include <algorithm>

namespace planc::cost {

namespace {

/// Up to this size of the vector MPI runs algorithms of few messages (MPICH's default, of Thakur, Rabenseifner, Gropp
/// 2005).
constexpr double small_bytes = 2048;

/// M4: the algorithms of machines that do not specify any: MPI's own calls.
Algorithms usual_algorithms() {
    Algorithms algorithms;
    algorithms.allreduce = {{Algorithm::recursive_doubling, 0, true}, {Algorithm::ring, small_bytes, true}};
    return algorithms;
}

void read(const std::vector<sema::AlgorithmRange> &declared, AlgorithmTable &table) {
    if (declared.empty())
        return;
    table.clear();
    for (const sema::AlgorithmRange &range : declared)
        table.push_back({algorithm(range.algorithm), range.above_bytes, range.by_mpi});
}

Level level(const sema::Link &declared) {
    Level result;
    result.units = declared.units;
    result.link.latency = declared.latency;
    result.link.bytes_per_second = declared.bytes_per_second;
    result.link.count = declared.links;
    if (declared.topology != "star")
        result.link.shape = declared.shape;
    return result;
}

} // namespace

Machine machine(const sema::Machine &declared) {
    Machine result;
    result.name = declared.name;
    result.flops_per_second = declared.flops_per_second;
    result.memory_bytes_per_second = declared.memory_bytes_per_second;
    result.memory_bytes = declared.memory_bytes;
    if (declared.gemm_block.size() == 3)
        result.gemm_block = GemmBlock{declared.gemm_block[0], declared.gemm_block[1], declared.gemm_block[2]};
    result.reduction_flops_per_second = declared.reduction_flops_per_second;
    result.levels.clear();
    std::transform(declared.levels.begin(), declared.levels.end(), std::back_inserter(result.levels), level);
    result.algorithms = usual_algorithms();
    read(declared.allreduce, result.algorithms.allreduce);
    read(declared.reduce_scatter, result.algorithms.reduce_scatter);
    read(declared.allgather, result.algorithms.allgather);
    read(declared.broadcast, result.algorithms.broadcast);
    read(declared.alltoall, result.algorithms.alltoall);
    result.kernels = declared.kernels;
    result.collectives = declared.collectives;
    return result;
}

Machine by_messages(Machine machine) {
    Algorithms &algorithms = machine.algorithms;
    for (AlgorithmTable *table : {&algorithms.allreduce, &algorithms.reduce_scatter, &algorithms.allgather})
        for (AlgorithmRange &range : *table)
            range.by_mpi = false;
    machine.collectives.clear();
    return machine;
}

bool placement_matters(const Machine &machine, std::int64_t ranks) {
    std::int64_t joined = 1; // ranks in a unit of the level
    for (const Level &level : machine.levels) {
        if (joined >= ranks)
            return false;
        if (joined > 1 || !level.link.shape.empty())
            return true;
        joined *= std::max<std::int64_t>(level.units, 1);
    }
    return false;
}

} // namespace planc::cost
