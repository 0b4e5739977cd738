// Prints for some sizes whether a send ends before its receive has begun ("eager") or waits for it ("rendezvous"). Two
// ranks.
#include <mpi.h>

#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int bytes = 4; bytes <= 16384; bytes *= 8) {
        std::vector<char> data(static_cast<std::size_t>(bytes));
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (rank == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            int done = 0;
            MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            while (done == 0 && MPI_Wtime() - begin < 0.1)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            std::printf("%d bytes: %s\n", bytes, done != 0 ? "eager" : "rendezvous");
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            int found = 0;
            while (MPI_Wtime() - begin < 0.3) // lets MPI work, without this receive
                MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Recv(data.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
