#include "run/training/initial_values.h"

#include "mesh/pieces.h"
#include "mesh/tensors.h"
#include "random/philox.h"

#include <algorithm>
#include <vector>

namespace planrt {

namespace {

/// Numbers `first`, `first + 1`, … of the variable.
void draw(const Variable &variable, RandomStream stream, std::uint64_t first, std::vector<double> &run) {
    switch (variable.initializer) {
    case Initializer::constant:
        std::ranges::fill(run, variable.a);
        return;
    case Initializer::uniform:
        return fill_uniform(stream, first, variable.a, variable.b, run.data(), run.size());
    case Initializer::normal:
        return fill_normal(stream, first, variable.a, variable.b, run.data(), run.size());
    }
}

template <class T>
void fill_block(const Variable &variable, RandomStream stream, const Box &box, std::size_t depth, std::uint64_t row,
                std::vector<double> &run, T *&to) {
    const std::span<const Dimension> dimensions = variable.tensor.dimensions;
    if (depth + 1 >= box.size()) { // the innermost run, or a scalar
        const std::uint64_t extent = box.empty() ? 1 : static_cast<std::uint64_t>(dimensions[depth].extent);
        const std::uint64_t begin = box.empty() ? 0 : static_cast<std::uint64_t>(box[depth].begin);
        draw(variable, stream, row * extent + begin, run);
        to = std::transform(run.begin(), run.end(), to, [](double value) { return static_cast<T>(value); });
        return;
    }
    for (std::int64_t i = box[depth].begin; i < box[depth].end; ++i)
        fill_block(variable, stream, box, depth + 1,
                   row * static_cast<std::uint64_t>(dimensions[depth].extent) + static_cast<std::uint64_t>(i), run, to);
}

} // namespace

void set_initial_values(const Variable &variable, std::uint64_t seed, const Mesh &mesh, int rank, std::byte *arena) {
    const std::vector<Box> boxes = pieces(placement_of(variable.tensor), mesh, rank);
    const RandomStream stream = random_stream(seed, variable.name);
    const auto fill = [&](auto *to) {
        for (const Box &box : boxes) {
            std::vector<double> run(box.empty() ? 1 : static_cast<std::size_t>(box.back().size()));
            fill_block(variable, stream, box, 0, 0, run, to);
        }
    };
    std::byte *values = arena + variable.tensor.offset;
    switch (variable.tensor.type) {
    case Type::f32:
        return fill(reinterpret_cast<float *>(values));
    case Type::f64:
        return fill(reinterpret_cast<double *>(values));
    case Type::i32:
        return fill(reinterpret_cast<std::int32_t *>(values));
    }
}

} // namespace planrt
