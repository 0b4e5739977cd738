#include "count/cores.h"

#include "support/failure.h"

#include <mpi.h>
#include <sched.h>

#include <algorithm>

namespace planrt {

CoresOfMachine cores_of_machine(int threads) {
    MPI_Comm machine = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "cores");
    cpu_set_t own;
    CPU_ZERO(&own);
    // If the system does not tell (there are more cores than the set can hold), every thread counts as having a core.
    const bool known = sched_getaffinity(0, sizeof own, &own) == 0;
    cpu_set_t all;
    CoresOfMachine result;
    check_mpi(MPI_Allreduce(&own, &all, static_cast<int>(sizeof own), MPI_BYTE, MPI_BOR, machine), "cores");
    check_mpi(MPI_Allreduce(&threads, &result.threads, 1, MPI_INT, MPI_SUM, machine), "cores");
    MPI_Comm_size(machine, &result.ranks);
    MPI_Comm_free(&machine);
    result.cores = known ? std::max(CPU_COUNT(&all), 1) : result.threads;
    return result;
}

std::string too_few_cores(const CoresOfMachine &machine) {
    if (machine.threads <= machine.cores)
        return {};
    const std::string threads =
        machine.threads > machine.ranks ? text(" with %d threads", machine.threads) : std::string();
    return text("%d ranks%s share %d %s: each computes for %.2f of the time at most, and waits for others that do not "
                "run\nmeanwhile; predictions assume a core for each thread\n",
                machine.ranks, threads.c_str(), machine.cores, machine.cores == 1 ? "core" : "cores",
                static_cast<double>(machine.cores) / machine.threads);
}

} // namespace planrt
