#include "program/makers.h"

#include <algorithm>
#include <stdexcept>

namespace planc::program {

namespace {

const std::vector<int> &bodies_of(const std::vector<MicroBatch> &micro_batches, const std::vector<KindBodies> &kinds,
                                  int micro_batch, pipeline::Weights weights) {
    const MicroBatchKind wanted = kind_of(micro_batches, static_cast<std::size_t>(micro_batch), weights);
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto &each) { return each.kind == wanted && !each.bodies.empty(); });
    if (kind == kinds.end())
        throw std::invalid_argument("no bodies for a micro-batch of " + std::to_string(wanted.samples) + " samples");
    return kind->bodies;
}

} // namespace

std::vector<std::vector<Action>> trivial(const KindBodies &step) {
    std::vector<Action> actions;
    for (const int body : step.bodies)
        actions.push_back({ActionKind::run, body, 0, 0});
    return {actions};
}

std::vector<std::vector<Action>> accumulating(const std::vector<MicroBatch> &micro_batches,
                                              const std::vector<KindBodies> &kinds, pipeline::Weights weights) {
    return in_flight(micro_batches, kinds, 1, weights);
}

std::vector<std::vector<Action>> in_flight(const std::vector<MicroBatch> &micro_batches,
                                           const std::vector<KindBodies> &kinds, int slots, pipeline::Weights weights) {
    std::vector<Action> actions;
    const auto count = static_cast<int>(micro_batches.size());
    for (int first = 0; first < count; first += slots) {
        const int end = std::min(first + slots, count);
        for (int i = first; i < end; ++i)
            actions.push_back({ActionKind::run, bodies_of(micro_batches, kinds, i, weights).front(), i, i - first});
        for (int i = first; i < end; ++i) {
            const std::vector<int> &bodies = bodies_of(micro_batches, kinds, i, weights);
            for (std::size_t body = 1; body < bodies.size(); ++body)
                actions.push_back({ActionKind::run, bodies[body], i, i - first});
        }
    }
    return {actions};
}

} // namespace planc::program
