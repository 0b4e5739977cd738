#include "sharding/graph.h"

#include <algorithm>

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

std::size_t result_number(const Graph &graph, ValueId value) {
    const std::vector<ValueId> &results = graph.operations[graph.values[value].producer].results;
    return static_cast<std::size_t>(std::find(results.begin(), results.end(), value) - results.begin());
}

} // namespace planc::sharding
