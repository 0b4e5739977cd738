#include "sharding/graph.h"

namespace planc::sharding {

const char *name(Phase phase) {
    switch (phase) {
    case Phase::forward:
        return "forward";
    case Phase::loss:
        return "loss";
    case Phase::input_gradient:
        return "input gradient";
    case Phase::weight_gradient:
        return "weight gradient";
    case Phase::update:
        return "update";
    case Phase::recompute:
        return "recompute";
    }
    return "";
}

} // namespace planc::sharding
