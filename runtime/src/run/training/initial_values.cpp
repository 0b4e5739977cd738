#include "run/training/initial_values.h"

#include "mesh/pieces.h"
#include "mesh/tensors.h"
#include "random/philox.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace planrt {

namespace {

constexpr std::int64_t most_at_once = 4096;

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

} // namespace

void set_initial_values(const Variable &variable, std::uint64_t seed, const FileNumbers &numbers, const Mesh &mesh,
                        int rank, std::byte *arena) {
    const std::vector<Box> boxes = pieces(placement_of(variable.tensor), mesh, rank);
    const RandomStream stream = random_stream(seed, variable.name);
    std::vector<double> run;
    const auto fill = [&](auto *to) {
        using T = std::remove_pointer_t<decltype(to)>;
        const auto draw_run = [&](std::int64_t first, std::int64_t count) {
            for (const std::int64_t end = first + count; first < end; first += std::ssize(run)) {
                run.resize(static_cast<std::size_t>(std::min(end - first, most_at_once)));
                draw(variable, stream, static_cast<std::uint64_t>(first), run);
                to = std::transform(run.begin(), run.end(), to, [](double value) { return static_cast<T>(value); });
            }
        };
        for (const Box &box : boxes)
            numbers.for_each_run(variable.tensor, box, draw_run);
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
