#include "count/aligned_clock.h"

#include "count/step_clock.h"
#include "support/failure.h"

#include <mpi.h>

namespace planrt {

namespace {

constexpr int round_trips = 64;
constexpr const char *purpose = "comparison of clocks";

void answer(int rank) {
    for (int i = 0; i < round_trips; ++i) {
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), purpose);
        const double now = steady_seconds();
        check_mpi(MPI_Send(&now, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD), purpose);
    }
}

AlignedClock::Offset ask() {
    AlignedClock::Offset best;
    for (int i = 0; i < round_trips; ++i) {
        const double begin = steady_seconds();
        double theirs = 0;
        check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD), purpose);
        check_mpi(MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), purpose);
        const double end = steady_seconds();
        const double middle = begin + (end - begin) / 2;
        if (const double error = (end - begin) / 2; i == 0 || error < best.error)
            best = {middle, theirs - middle, error};
    }
    return best;
}

} // namespace

AlignedClock::Offset measure_offset() {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0)
        return ask();
    for (int other = 1; other < ranks; ++other)
        answer(other);
    return {steady_seconds(), 0, 0};
}

} // namespace planrt
