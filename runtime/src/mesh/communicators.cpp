#include "mesh/communicators.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

Communicators::Communicators(const Mesh &mesh, int rank, int role, int roles) : mesh_(mesh), rank_(rank) {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &all_), "set-up of the mesh");
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    if (roles <= 1)
        return;
    check_mpi(MPI_Comm_split(MPI_COMM_WORLD, role, rank, &role_), "set-up of the mesh");
    MPI_Comm_set_errhandler(role_, MPI_ERRORS_RETURN);
}

Communicators::~Communicators() {
    for (auto &[axes, group] : groups_)
        MPI_Comm_free(&group);
    if (role_ != MPI_COMM_NULL)
        MPI_Comm_free(&role_);
    MPI_Comm_free(&all_);
}

MPI_Comm Communicators::along(std::span<const int> axes) {
    const std::vector<int> key(axes.begin(), axes.end());
    if (const auto known = groups_.find(key); known != groups_.end())
        return known->second;
    const std::vector<int> members = mesh_.group(rank_, axes);
    const int color = *std::ranges::min_element(members);
    const int position = static_cast<int>(std::ranges::find(members, rank_) - members.begin());
    MPI_Comm group = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(role_ == MPI_COMM_NULL ? MPI_COMM_WORLD : role_, color, position, &group),
              "set-up of the mesh");
    MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN);
    groups_.emplace(key, group);
    return group;
}

} // namespace planrt
