// Collectives of the interpreter, as messages between ranks.
#pragma once

#include "interpret/local.h"

#include <string>
#include <vector>

namespace planc::interpret {

struct Communicated {
    std::vector<Local> values;            ///< per rank, in the layout `to`
    std::vector<planrt::Traffic> traffic; ///< per rank, counted from the messages, as planrt::traffic() counts
};

/// `axes`: of the group. Throws Failure if a rank does not receive everything that it needs.
[[nodiscard]] Communicated communicate(planrt::CollectiveKind kind, const std::vector<int> &axes,
                                       const planrt::Placement &from, const planrt::Placement &to,
                                       const planrt::Mesh &mesh, const std::vector<Local> &values);

} // namespace planc::interpret
