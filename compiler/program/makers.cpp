#include "program/makers.h"

#include <algorithm>
#include <stdexcept>

namespace planc::program {

namespace {

void run_all(const std::vector<int> &bodies, int micro_batch, std::vector<Action> &actions) {
    for (const int body : bodies)
        actions.push_back({ActionKind::run, body, micro_batch, 0});
}

} // namespace

std::vector<std::vector<Action>> trivial(const KindBodies &step) {
    std::vector<Action> actions;
    run_all(step.bodies, 0, actions);
    return {actions};
}

std::vector<std::vector<Action>> accumulating(const std::vector<MicroBatch> &micro_batches,
                                              const std::vector<KindBodies> &kinds) {
    std::vector<Action> actions;
    for (std::size_t i = 0; i < micro_batches.size(); ++i) {
        const MicroBatchKind wanted = kind_of(micro_batches, i);
        const auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto &each) { return each.kind == wanted; });
        if (kind == kinds.end())
            throw std::invalid_argument("no bodies for a micro-batch of " + std::to_string(wanted.samples) +
                                        " samples");
        run_all(kind->bodies, static_cast<int>(i), actions);
    }
    return {actions};
}

} // namespace planc::program
