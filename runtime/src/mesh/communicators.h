// One MPI communicator per set of mesh axes that a program communicates over; made at set-up only.
#pragma once

#include <planrt/layout.h>

#include <mpi.h>

#include <map>
#include <span>
#include <vector>

namespace planrt {

class Communicators {
  public:
    Communicators(const Mesh &mesh, int rank);
    Communicators(const Communicators &) = delete;
    Communicators &operator=(const Communicators &) = delete;
    ~Communicators();

    /// This rank's group along `axes`, its members in the order of Mesh::group. Collective over the world the first
    /// time that a set of axes is asked for. Errors: Failure.
    MPI_Comm along(std::span<const int> axes);
    /// All ranks, for messages between two ranks.
    [[nodiscard]] MPI_Comm all() const { return all_; }

  private:
    Mesh mesh_;
    int rank_;
    MPI_Comm all_ = MPI_COMM_NULL;
    std::map<std::vector<int>, MPI_Comm> groups_;
};

} // namespace planrt
