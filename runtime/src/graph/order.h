// What order_vertices() is made of.
#pragma once

#include <planrt/pattern.h>

#include <vector>

namespace planrt {

/// The part in which METIS puts each vertex. `neighbours`: symmetric, nothing on the diagonal, at least one edge; 1 <
/// parts. Errors: Failure.
[[nodiscard]] std::vector<std::int32_t> metis_parts(const Pattern &neighbours, int parts, std::uint64_t seed);

} // namespace planrt
