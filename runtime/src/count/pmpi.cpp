// Wrappers of the MPI calls that move payload: each counts its arguments and calls MPI. Every call that the runtime
// makes must be here; one that is missing shows as a difference in the communication report.
#include "count/counters.h"

#include <mpi.h>

#include <numeric>

namespace planrt {

void Counters::reset(int collectives) {
    accounts_.assign(static_cast<std::size_t>(3 + collectives), Count{});
    current_ = accounts_.data();
}

Counters &counters() {
    static Counters process;
    return process;
}

namespace {

std::int64_t bytes(std::int64_t count, MPI_Datatype type) {
    MPI_Count size = 0; // of a type that a message has for itself it may be more than an int counts
    PMPI_Type_size_x(type, &size);
    return count * std::int64_t{size};
}

std::int64_t sum(const int *counts, MPI_Comm communicator) {
    int members = 0;
    PMPI_Comm_size(communicator, &members);
    return std::accumulate(counts, counts + members, std::int64_t{0});
}

} // namespace

} // namespace planrt

using planrt::bytes;
using planrt::counters;
using planrt::sum;

extern "C" {

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator) {
    counters().count(bytes(count, type));
    return PMPI_Allreduce(send, receive, count, type, op, communicator);
}

int MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm communicator,
                   MPI_Request *request) {
    counters().count(bytes(count, type));
    return PMPI_Iallreduce(send, receive, count, type, op, communicator, request);
}

int MPI_Ireduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm communicator, MPI_Request *request) {
    counters().count(bytes(sum(counts, communicator), type));
    return PMPI_Ireduce_scatter(send, receive, counts, type, op, communicator, request);
}

int MPI_Iallgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int counts[],
                    const int offsets[], MPI_Datatype type, MPI_Comm communicator, MPI_Request *request) {
    counters().count(bytes(sum(counts, communicator), type));
    return PMPI_Iallgatherv(send, send_count, send_type, receive, counts, offsets, type, communicator, request);
}

int MPI_Ialltoallv(const void *send, const int send_counts[], const int send_offsets[], MPI_Datatype send_type,
                   void *receive, const int counts[], const int offsets[], MPI_Datatype type, MPI_Comm communicator,
                   MPI_Request *request) {
    counters().count(bytes(sum(send_counts, communicator), send_type));
    return PMPI_Ialltoallv(send, send_counts, send_offsets, send_type, receive, counts, offsets, type, communicator,
                           request);
}

int MPI_Ialltoallw(const void *send, const int send_counts[], const int send_offsets[], const MPI_Datatype send_types[],
                   void *receive, const int counts[], const int offsets[], const MPI_Datatype types[],
                   MPI_Comm communicator, MPI_Request *request) {
    int members = 0;
    PMPI_Comm_size(communicator, &members);
    std::int64_t sent = 0;
    for (int member = 0; member < members; ++member)
        sent += bytes(send_counts[member], send_types[member]);
    counters().count(sent);
    return PMPI_Ialltoallw(send, send_counts, send_offsets, send_types, receive, counts, offsets, types, communicator,
                           request);
}

int MPI_Isend(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request *request) {
    counters().count_message(bytes(count, type));
    return PMPI_Isend(send, count, type, to, tag, communicator, request);
}

int MPI_Send(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
    counters().count(bytes(count, type));
    return PMPI_Send(send, count, type, to, tag, communicator);
}

int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
               int root, MPI_Comm communicator) {
    counters().count(bytes(send_count, send_type));
    return PMPI_Gather(send, send_count, send_type, receive, count, type, root, communicator);
}

} // extern "C"
