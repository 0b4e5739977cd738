// Initial values of variables. They depend on the seed, the variable's name and the global index of each element, in
// the file's order of vertices, so that they are the same under every layout and order.
#pragma once

#include "mesh/file_numbers.h"

#include <planrt/planrt.h>

namespace planrt {

void set_initial_values(const Variable &variable, std::uint64_t seed, const FileNumbers &numbers, const Mesh &mesh,
                        int rank, std::byte *arena);

} // namespace planrt
