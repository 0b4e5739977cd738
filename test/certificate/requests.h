// Random requests with everything that a certificate speaks of: meshes, rules, storage, limits on memory.
#pragma once

#include "plan/random_request.h"

#include <optional>

namespace planc::certificate::reference {

struct Planned {
    plan::Request request;
    plan::Plan plan;
};

/// None: there is no plan of it.
[[nodiscard]] std::optional<Planned> random_planned(sharding::reference::Random &random);

} // namespace planc::certificate::reference
