#include "plan/pipeline/cut_search.h"

#include "plan/pipeline/price_pipeline.h"

#include <algorithm>

namespace planc::plan {

CutSearch::CutSearch(const Cuts &cuts, const StageCosts &costs, int ranks)
    : cuts_(cuts), ranks_(ranks), microbatches_(costs.at.front()->microbatches), times_(cuts.times(costs)) {}

std::optional<Begins> CutSearch::moved(const Begins &begins, const std::string &schedule, int chunks) const {
    constexpr double worth_it = 1e-6; // of the step
    double best = (1 - worth_it) * seconds(begins, schedule, chunks);
    std::optional<Begins> result;
    for (std::size_t stage = 1; stage < begins.size(); ++stage)
        for (const bool forward : {false, true}) {
            Begins moved = begins;
            const std::optional<std::size_t> place = next_place(begins[stage], forward);
            const std::size_t end = stage + 1 < begins.size() ? begins[stage + 1] : cuts_.may_begin().size();
            if (!place || *place <= begins[stage - 1] || *place >= end)
                continue;
            moved[stage] = *place;
            if (const double other = seconds(moved, schedule, chunks); other < best) {
                best = other;
                result = std::move(moved);
            }
        }
    return result;
}

double CutSearch::seconds(const Begins &begins, const std::string &schedule, int chunks) const {
    cost::PipelineCost cost;
    for (std::size_t stage = 0; stage < begins.size(); ++stage) {
        LayerTimes sum;
        const std::size_t end = stage + 1 < begins.size() ? begins[stage + 1] : cuts_.may_begin().size();
        for (std::size_t place = begins[stage]; place < end; ++place)
            sum += times_[stage][place];
        cost.stages.push_back(stage_row(sum));
    }
    return seconds_with(schedule, ranks_, chunks, microbatches_, cost).value;
}

std::optional<std::size_t> CutSearch::next_place(std::size_t place, bool forward) const {
    const std::vector<bool> &may_begin = cuts_.may_begin();
    while (forward ? ++place < may_begin.size() : place-- > 0)
        if (may_begin[place])
            return place;
    return std::nullopt;
}

} // namespace planc::plan
