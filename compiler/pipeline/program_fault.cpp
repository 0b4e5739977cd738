#include "pipeline/check.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::pipeline {

namespace {

/// By kind of pass (F; B or I; B or W) and part: the micro-batches, in order.
enum class Pass : std::uint8_t { forward, backward, weights };
using Orders = std::map<std::pair<Pass, int>, std::vector<int>>;

Orders orders_of(const Schedule &schedule) {
    Orders orders;
    for (const std::vector<Action> &actions : schedule.actions)
        for (const Action &action : actions) {
            const Pass pass = action.kind == Kind::forward           ? Pass::forward
                              : action.kind == Kind::weight_gradient ? Pass::weights
                                                                     : Pass::backward;
            const int part = schedule.part_of(action.stage, action.micro_batch);
            orders[{pass, part}].push_back(action.micro_batch);
            if (action.kind == Kind::backward)
                orders[{Pass::weights, part}].push_back(action.micro_batch);
        }
    return orders;
}

} // namespace

std::string program_fault(const Schedule &schedule) {
    if (schedule.weights != Weights::synchronous)
        return "weights change within the step";
    Orders orders = orders_of(schedule);
    for (const auto &[pass, order] : orders)
        if (const int last = schedule.last_of(pass.second / schedule.stages); order.back() != last)
            return "micro-batch " + std::to_string(last) + " must come last on stage " +
                   std::to_string(pass.second % schedule.stages) + ", not micro-batch " + std::to_string(order.back());
    for (int part = 0; part < schedule.parts(); ++part)
        for (const Pass pass : {Pass::forward, Pass::backward})
            if (const int stage = part % schedule.stages;
                stage + 1 < schedule.stages && schedule.rank_of_part(part) != schedule.rank_of_part(part + 1) &&
                orders[{pass, part}] != orders[{pass, part + 1}])
                return "stages " + std::to_string(stage) + " and " + std::to_string(stage + 1) +
                       " take micro-batches in different orders, but messages arrive in the order in which they are "
                       "sent";
    return {};
}

} // namespace planc::pipeline
