// In place of metis_order.cpp, where METIS is not linked: in the runtime, and where it is not installed.
#include "graph/order.h"

#include <planrt/vertex_order.h>

namespace planrt {

bool has_metis() {
    return false;
}

/// Never called.
std::vector<std::int32_t> metis_halves(const Pattern &, std::span<const std::int64_t>, int) {
    return {};
}

} // namespace planrt
