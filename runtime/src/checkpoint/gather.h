// A whole tensor on rank 0, whatever the layout.
#pragma once

#include "mesh/file_numbers.h"

#include <planrt/planrt.h>

#include <cstddef>
#include <vector>

namespace planrt {

/// Fills `whole` on rank 0 with the elements of a tensor of a role, row-major and with vertices in the order of their
/// file; other ranks send their parts. The tensor must not be partial. Collective over the world. Errors: Failure, with
/// `purpose` ("saving weights").
void gather(const Tensor &tensor, const Role &role, const FileNumbers &numbers, const Mesh &mesh, int rank,
            const std::byte *arena, std::vector<std::byte> &whole, const char *purpose);

} // namespace planrt
