// In place of metis_order.cpp, where METIS is not linked: in the runtime, and where it is not installed.
#include "graph/order.h"

#include "support/plain_failure.h"

#include <planrt/vertex_order.h>

namespace planrt {

bool has_metis() {
    return false;
}

std::vector<std::int32_t> metis_halves(const Pattern &) {
    throw Failure("order = metis needs METIS, which was not there when this was built; on Debian: libmetis-dev");
}

} // namespace planrt
