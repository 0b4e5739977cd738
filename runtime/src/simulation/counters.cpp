// Counters for each rank, because SMPI runs all of them in one process. Nothing reads them in a simulation.
#include "count/counters.h"

#include <mpi.h>

#include <deque>

namespace planrt {

void Counters::reset(int collectives) {
    accounts_.assign(static_cast<std::size_t>(3 + collectives), Count{});
    current_ = accounts_.data();
}

Counters &counters() {
    static std::deque<Counters> by_rank; // never moves its elements
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (by_rank.size() <= static_cast<std::size_t>(rank))
        by_rank.resize(static_cast<std::size_t>(rank) + 1);
    return by_rank[static_cast<std::size_t>(rank)];
}

} // namespace planrt
