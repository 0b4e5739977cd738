#include "mesh/tensors.h"

#include "support/failure.h"

namespace planrt {

Mesh mesh_of(const Program &program) {
    if (program.uneven_along < 0) {
        Mesh mesh;
        for (const Axis &axis : program.mesh)
            mesh.sizes.push_back(axis.size);
        return mesh;
    }
    std::vector<std::vector<int>> sizes_at(
        static_cast<std::size_t>(program.mesh[static_cast<std::size_t>(program.uneven_along)].size));
    for (std::size_t axis = 0; axis < program.mesh.size(); ++axis)
        for (std::size_t position = 0; position < sizes_at.size(); ++position) {
            const Axis &own = program.mesh[axis];
            sizes_at[position].push_back(static_cast<int>(axis) == program.uneven_along ? 1
                                         : own.sizes.empty()                            ? own.size
                                                                                        : own.sizes[position]);
        }
    return uneven_mesh(program.uneven_along, std::move(sizes_at));
}

Role role_of(const Program &program, int role) {
    if (program.roles.empty()) // a program of functions alone
        return {};
    const std::span<const Range> ranks = program.roles[static_cast<std::size_t>(role)].ranks;
    return {{ranks.begin(), ranks.end()}};
}

int role_of_rank(const Program &program, int rank) {
    const Mesh mesh = mesh_of(program);
    int found = program.roles.empty() ? 0 : -1;
    for (int role = 0; role < static_cast<int>(program.roles.size()); ++role) {
        if (role_of(program, role).rank_within(mesh, rank) < 0)
            continue;
        if (found >= 0)
            throw Failure(text("internal error of the compiler: rank %d has two roles", rank));
        found = role;
    }
    if (found < 0)
        throw Failure(text("internal error of the compiler: rank %d has no role", rank));
    return found;
}

Placement placement_of(const Tensor &tensor) {
    Placement placement;
    for (const Dimension &dimension : tensor.dimensions)
        placement.dimensions.push_back(
            {dimension.extent, {dimension.axes.begin(), dimension.axes.end()}, dimension.window});
    placement.partial.assign(tensor.partial.begin(), tensor.partial.end());
    placement.reduction = tensor.reduction;
    placement.stored.assign(tensor.stored.begin(), tensor.stored.end());
    return placement;
}

std::size_t element_bytes(Type type) {
    return type == Type::f64 ? 8 : 4;
}

MPI_Datatype datatype_of(Type type) {
    switch (type) {
    case Type::f64:
        return MPI_DOUBLE;
    case Type::i32:
        return MPI_INT32_T;
    case Type::f32:
        break;
    }
    return MPI_FLOAT;
}

MPI_Op operator_of(Reduction reduction) {
    switch (reduction) {
    case Reduction::max:
        return MPI_MAX;
    case Reduction::min:
        return MPI_MIN;
    case Reduction::sum:
        break;
    }
    return MPI_SUM;
}

std::string describe_mesh(const Program &program) {
    std::string result;
    const Mesh mesh = mesh_of(program);
    for (std::size_t axis = 0; axis < program.mesh.size(); ++axis)
        result += text("%s%s %s", axis == 0 ? "" : " × ", program.mesh[axis].name,
                       size_text(mesh, static_cast<int>(axis)).c_str());
    return result.empty() ? "of one rank" : result;
}

std::string describe(const Program &program, const Collective &collective) {
    const TrafficRow &row = program.traffic[static_cast<std::size_t>(collective.row)];
    return text("layer %s: %s of %s (%s)", row.layer, name_of(collective.kind), row.tensor, row.phase);
}

} // namespace planrt
