// What order_vertices() is made of.
#pragma once

#include <planrt/pattern.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

/// 0 or 1 for each vertex, of which METIS puts about half in each, with about half of the work of all; the best of so
/// many tries. `neighbours`: symmetric, nothing on the diagonal, at least one edge. `work`: of each vertex; in total
/// less than 2^31. Errors: Failure.
[[nodiscard]] std::vector<std::int32_t> metis_halves(const Pattern &neighbours, std::span<const std::int64_t> work,
                                                     int tries);

} // namespace planrt
