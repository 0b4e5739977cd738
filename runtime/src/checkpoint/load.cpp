#include "checkpoint/checkpoint.h"

#include "checkpoint/run_state.h"
#include "checkpoint/safetensors.h"
#include "data/records.h"
#include "mesh/file_numbers.h"
#include "mesh/pieces.h"
#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"

#include <algorithm>
#include <cstring>

namespace planrt {

namespace {

std::string shape_of(std::span<const std::int64_t> shape) {
    return "[" + (shape.empty() ? "" : describe_extents(shape)) + "]";
}

Failure other_optimizer(const std::string &path, const std::string &what) {
    return Failure(path + ": belongs to a run with another optimizer: " + what + "; --init loads the weights alone");
}

/// What a run adds to the name of a weight for its value after the best epoch.
constexpr const char *best_suffix = ".best";

Failure other_keep(const std::string &path, const char *does, const std::string &what) {
    return Failure(path + ": belongs to a run that " + does + " the best epoch: " + what +
                   "; --init loads the weights alone");
}

/// The tensor of a variable, by its own name or another one.
const StoredTensor &find(const SafetensorsIndex &index, const Variable &variable, const std::string &name,
                         const std::string &path) {
    const auto stored = std::ranges::find(index.tensors, name, &StoredTensor::name);
    if (stored == index.tensors.end()) {
        if (variable.is_best)
            throw other_keep(path, "does not keep", "it has no " + name);
        if (!variable.of_model)
            throw other_optimizer(path, "it has no " + name);
        throw Failure(text("%s: has no tensor %s", path.c_str(), name.c_str()));
    }
    std::vector<std::int64_t> declared;
    for (const Dimension &dimension : variable.tensor.dimensions)
        declared.push_back(dimension.extent);
    if (stored->shape != declared)
        throw Failure(text("%s: tensor %s is %s, but the program declares %s", path.c_str(), name.c_str(),
                           shape_of(stored->shape).c_str(), shape_of(declared).c_str()));
    if (stored->type != variable.tensor.type)
        throw Failure(text("%s: tensor %s holds %s, but the program declares %s", path.c_str(), name.c_str(),
                           safetensors_type(stored->type), safetensors_type(variable.tensor.type)));
    return *stored;
}

void check_no_others(const SafetensorsIndex &index, const Program &program, const std::string &path) {
    const auto some_variable = [&program](const auto &holds) { return std::ranges::any_of(program.variables, holds); };
    for (const StoredTensor &stored : index.tensors) {
        if (some_variable([&stored](const Variable &variable) { return stored.name == variable.name; }))
            continue;
        const auto state_of = [&stored](const Variable &variable) {
            return variable.of_model && stored.name.starts_with(std::string(variable.name) + ".");
        };
        if (stored.name.ends_with(best_suffix) && some_variable(state_of))
            throw other_keep(path, "keeps", "it has " + stored.name);
        if (some_variable(state_of))
            throw other_optimizer(path, "it has " + stored.name);
        throw Failure(
            text("%s: has a tensor %s, but network %s does not", path.c_str(), stored.name.c_str(), program.name));
    }
}

void load(const Program &program, bool all, const Mesh &mesh, int rank, std::byte *arena, const std::string &path) {
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    if (all || !is_checkpoint(index)) // weights are taken from checkpoints of other optimizers too
        check_no_others(index, program, path);
    const FileNumbers numbers(program.order);
    const char *suffix = !all && has_best_epoch(index) ? best_suffix : "";
    for (const Variable &variable : program.variables) {
        if (!variable.of_model && !all)
            continue;
        const StoredTensor &stored = find(index, variable, std::string(variable.name) + suffix, path);
        const Role role = role_of(program, variable.role);
        const int within = role.rank_within(mesh, rank);
        if (within < 0)
            continue;
        const auto bytes = static_cast<std::int64_t>(element_bytes(stored.type));
        std::byte *to = arena + variable.tensor.offset;
        const auto read_run = [&](std::int64_t first, std::int64_t count) {
            const auto at = static_cast<std::uint64_t>(first * bytes);
            file.read(index.numbers + stored.begin + at, to, static_cast<std::uint64_t>(count * bytes));
            to += count * bytes;
        };
        for (const Box &piece : pieces(placement_of(variable.tensor), role.mesh(mesh), within))
            numbers.for_each_run(variable.tensor, piece, read_run);
    }
}

} // namespace

void load_weights(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path) {
    if (rank == 0 && is_checkpoint(read_safetensors_index(InputFile(path), path)))
        verify_checkpoint(path); // other files have no checksum
    load(program, /*all=*/false, mesh, rank, arena, path);
}

void load_checkpoint(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path) {
    load(program, /*all=*/true, mesh, rank, arena, path);
}

} // namespace planrt
