#include "pipeline/check.h"

#include "pipeline/weights.h"

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

/// Where weights change within the step: a stage has no versions but the current one, or the two latest. fault() has
/// found that those which are needed exist; here none that is needed may be gone.
std::string fault_of_versions(const Schedule &schedule) {
    for (const std::vector<Action> &actions : schedule.actions) {
        std::map<int, int> ended; // by stage: micro-batches
        for (const Action &action : actions) {
            int &count = ended[action.stage];
            if (frees(action.kind) && action.micro_batch != count++)
                return "weights change within the step: stage " + std::to_string(action.stage) +
                       " must end micro-batch " + std::to_string(count - 1) + " before micro-batch " +
                       std::to_string(action.micro_batch);
            if (action.kind != Kind::forward || schedule.weights != Weights::stashed)
                continue;
            if (const int version = weight_version(schedule, action.stage, action.micro_batch); version != count)
                return text(action) + " needs weights of version " + std::to_string(version) +
                       ", which are those of version " + std::to_string(count) + " by then";
        }
    }
    return {};
}

} // namespace

std::string program_fault(const Schedule &schedule) {
    Orders orders = orders_of(schedule);
    for (const auto &[pass, order] : orders)
        if (const int last = schedule.last_of(pass.second / schedule.stages); order.back() != last)
            return "micro-batch " + std::to_string(last) + " must come last on stage " +
                   std::to_string(pass.second % schedule.stages) + ", not micro-batch " + std::to_string(order.back());
    if (schedule.weights != Weights::synchronous)
        if (std::string wrong = fault_of_versions(schedule); !wrong.empty())
            return wrong;
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
