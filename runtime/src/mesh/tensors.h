// Converts the tables of an emitted program to the terms of <planrt/layout.h>.
#pragma once

#include <planrt/planrt.h>

#include <mpi.h>

#include <string>

namespace planrt {

[[nodiscard]] Mesh mesh_of(const Program &program);
/// The ranks of a role of the training step.
[[nodiscard]] Role role_of(const Program &program, int role);
/// The role of a rank. Failure where it has none, or several.
[[nodiscard]] int role_of_rank(const Program &program, int rank);
[[nodiscard]] Placement placement_of(const Tensor &tensor);
[[nodiscard]] std::size_t element_bytes(Type type);
[[nodiscard]] MPI_Datatype datatype_of(Type type);
[[nodiscard]] MPI_Op operator_of(Reduction reduction);
/// "rows 2 × cols 2"; "of one rank" without axes.
[[nodiscard]] std::string describe_mesh(const Program &program);
/// "layer h1: all-reduce of h1.w's gradient (weight gradient)".
[[nodiscard]] std::string describe(const Program &program, const Collective &collective);

} // namespace planrt
