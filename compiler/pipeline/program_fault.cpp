#include "pipeline/check.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::pipeline {

namespace {

/// By kind of pass (F; B or I; B or W) and stage: the micro-batches, in order.
enum class Pass : std::uint8_t { forward, backward, weights };
using Orders = std::map<std::pair<Pass, int>, std::vector<int>>;

Orders orders_of(const Schedule &schedule) {
    Orders orders;
    for (const std::vector<Action> &actions : schedule.actions)
        for (const Action &action : actions) {
            const Pass pass = action.kind == Kind::forward           ? Pass::forward
                              : action.kind == Kind::weight_gradient ? Pass::weights
                                                                     : Pass::backward;
            orders[{pass, action.stage}].push_back(action.micro_batch);
            if (action.kind == Kind::backward)
                orders[{Pass::weights, action.stage}].push_back(action.micro_batch);
        }
    return orders;
}

} // namespace

std::string program_fault(const Schedule &schedule) {
    if (schedule.weights != Weights::synchronous)
        return "weights change within the step";
    if (schedule.placement.size() > 1)
        return "micro-batches take different ways: there would be several replicas of the weights";
    Orders orders = orders_of(schedule);
    for (const auto &[pass, order] : orders)
        if (order.back() != schedule.micro_batches - 1)
            return "micro-batch " + std::to_string(schedule.micro_batches - 1) + " must come last on stage " +
                   std::to_string(pass.second) + ", not micro-batch " + std::to_string(order.back());
    for (int stage = 0; stage + 1 < schedule.stages; ++stage)
        for (const Pass pass : {Pass::forward, Pass::backward})
            if (schedule.rank_of(stage, 0) != schedule.rank_of(stage + 1, 0) &&
                orders[{pass, stage}] != orders[{pass, stage + 1}])
                return "stages " + std::to_string(stage) + " and " + std::to_string(stage + 1) +
                       " take micro-batches in different orders, but messages arrive in the order in which they are "
                       "sent";
    return {};
}

} // namespace planc::pipeline
