// Random requests with everything that a certificate speaks of: meshes, rules, storage, limits on memory.
#pragma once

#include "certificate/certificate.h"
#include "plan/random_request.h"

#include <optional>

namespace planc::certificate::reference {

struct Planned {
    plan::Request request;
    plan::Plan plan;
};

/// None: there is no plan of it.
[[nodiscard]] std::optional<Planned> random_planned(sharding::reference::Random &random);

/// Written as JSON and read again.
[[nodiscard]] Certificate read_back(const Certificate &certificate);

} // namespace planc::certificate::reference
