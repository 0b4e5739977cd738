// The collectives of a rank program on blocks: what every rank sends, received and put together.
#pragma once

#include "interpret/array.h"

#include <planrt/layout.h>

#include <string>
#include <vector>

namespace planc::interpret {

using Blocks = std::vector<Block>; ///< one per rank

struct Moved {
    Blocks blocks;
    std::vector<planrt::Traffic> traffic; ///< per rank, counted from the messages
};

/// Runs one collective. `axes`: of the group.
[[nodiscard]] Moved move(planrt::CollectiveKind kind, const std::vector<int> &axes, const Blocks &from,
                         const planrt::Placement &from_placement, const planrt::Placement &to_placement,
                         const planrt::Mesh &mesh);

} // namespace planc::interpret
