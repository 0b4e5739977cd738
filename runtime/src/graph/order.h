// What order_vertices() is made of.
#pragma once

#include <planrt/pattern.h>

#include <vector>

namespace planrt {

/// 0 or 1 for each vertex, of which METIS puts about half in each; the best of so many tries. `neighbours`: symmetric,
/// nothing on the diagonal, at least one edge. Errors: Failure.
[[nodiscard]] std::vector<std::int32_t> metis_halves(const Pattern &neighbours, int tries);

} // namespace planrt
