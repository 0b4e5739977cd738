#include "mesh/step_actions.h"

namespace planrt {

std::vector<MicroBatch> micro_batches_of(const Program &program) {
    std::vector<MicroBatch> all;
    std::int64_t first = 0;
    for (const MicroBatches &equal : program.micro_batches)
        for (int i = 0; i < equal.count; ++i, first += equal.samples) {
            const int of_update = program.micro_batches_of_update;
            all.push_back({first, equal.samples, of_update == 0 ? 0 : static_cast<int>(all.size()) / of_update});
        }
    return all;
}

std::vector<Action> actions_of(const RoleProgram &role) {
    std::vector<Action> all;
    std::size_t done = 0;
    const auto once = [&](std::size_t end) {
        for (; done < end; ++done)
            all.push_back(role.actions[done]);
    };
    for (const Repeat &repeat : role.repeats) {
        once(repeat.first);
        for (int time = 0; time < repeat.times; ++time)
            for (Action action : role.actions.subspan(done, repeat.actions)) {
                action.micro_batch += time * repeat.micro_batches;
                action.slot = (action.slot + time * repeat.slots) % role.slots;
                all.push_back(action);
            }
        done += repeat.actions;
    }
    once(role.actions.size());
    return all;
}

} // namespace planrt
