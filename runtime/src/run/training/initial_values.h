// Initial values of variables. They depend on the seed, the variable's name and the global index of each element, so
// that they are the same under every layout.
#pragma once

#include <planrt/planrt.h>

namespace planrt {

void set_initial_values(const Variable &variable, std::uint64_t seed, const Mesh &mesh, int rank, std::byte *arena);

} // namespace planrt
