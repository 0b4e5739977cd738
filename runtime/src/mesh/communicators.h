// One MPI communicator for each set of mesh axes over which a program communicates; made only at set-up.
#pragma once

#include <planrt/layout.h>

#include <mpi.h>

#include <map>
#include <span>
#include <vector>

namespace planrt {

class Communicators {
  public:
    /// `mesh`, `rank`: of this rank's role, which has the number `role` of `roles`. Collective over the world. Errors:
    /// Failure.
    Communicators(const Mesh &mesh, int rank, int role, int roles);
    Communicators(const Communicators &) = delete;
    Communicators &operator=(const Communicators &) = delete;
    ~Communicators();

    /// This rank's group along `axes`, its members in the order of Mesh::group. Collective over the ranks of the role
    /// the first time that a set of axes is asked for. Errors: Failure.
    MPI_Comm along(std::span<const int> axes);
    /// All ranks of the role, for messages between two of them.
    [[nodiscard]] MPI_Comm role() const { return role_ == MPI_COMM_NULL ? all_ : role_; }
    /// All ranks, for messages between roles.
    [[nodiscard]] MPI_Comm all() const { return all_; }

  private:
    Mesh mesh_;
    int rank_;
    MPI_Comm all_ = MPI_COMM_NULL;
    MPI_Comm role_ = MPI_COMM_NULL; ///< null: there is one role
    std::map<std::vector<int>, MPI_Comm> groups_;
};

} // namespace planrt
