#include "plan/pipeline/step_times.h"

#include <algorithm>
#include <vector>

namespace planc::plan {

using support::Seconds;

namespace {

class Updates {
  public:
    Updates(const pipeline::Schedule &schedule, const cost::PipelineCost &cost)
        : schedule_(schedule), cost_(cost), order_(static_cast<std::size_t>(schedule.ranks)),
          done_(static_cast<std::size_t>(schedule.parts())) {}

    double end(const std::vector<std::vector<pipeline::Span>> &spans) {
        std::vector<double> free(spans.size()); // by rank
        for (std::size_t rank = 0; rank < spans.size(); ++rank)
            for (std::size_t i = 0; i < spans[rank].size(); ++i) {
                const pipeline::Action &action = schedule_.actions[rank][i];
                free[rank] = std::max(free[rank], spans[rank][i].end);
                if (pipeline::frees(action.kind))
                    note_end(rank, schedule_.part_of(action.stage, action.micro_batch), spans[rank][i].end);
            }
        for (int level = 0; level < levels(); ++level)
            for (std::size_t rank = 0; rank < free.size(); ++rank)
                for (const int part : order_[rank])
                    free[rank] = run(part, level, free[rank]);
        return *std::max_element(free.begin(), free.end());
    }

  private:
    /// Updates run in the order in which the backward passes end.
    void note_end(std::size_t rank, int part, double end) {
        std::erase(order_[rank], part);
        order_[rank].push_back(part);
        done_[static_cast<std::size_t>(part)] = {end};
    }

    [[nodiscard]] std::vector<Seconds> levels_of(int part) const {
        const cost::StageRow &row = cost_.stages[static_cast<std::size_t>(part % schedule_.stages)];
        return row.update_levels.empty() ? std::vector{row.update} : row.update_levels;
    }

    [[nodiscard]] int levels() const {
        std::size_t most = 0;
        for (int part = 0; part < schedule_.parts(); ++part)
            most = std::max(most, levels_of(part).size());
        return static_cast<int>(most);
    }

    /// When a level of a part is done, for which the rank is free then.
    double run(int part, int level, double time) {
        for (const cost::UpdateTransfer &transfer : cost_.update_transfers)
            if (transfer.to == part && transfer.to_level == level) {
                const std::vector<double> &sender = done_[static_cast<std::size_t>(transfer.from)];
                const auto sent = static_cast<std::size_t>(transfer.from_level + 1);
                if (sent < sender.size())
                    time = std::max(time, sender[sent]) + transfer.seconds.value;
            }
        const std::vector<Seconds> own = levels_of(part);
        if (static_cast<std::size_t>(level) < own.size())
            time += own[static_cast<std::size_t>(level)].value;
        done_[static_cast<std::size_t>(part)].push_back(time);
        return time;
    }

    const pipeline::Schedule &schedule_;
    const cost::PipelineCost &cost_;
    std::vector<std::vector<int>> order_;   ///< parts, by rank
    std::vector<std::vector<double>> done_; ///< by part: its backward passes, and each level
};

} // namespace

pipeline::Durations durations(const pipeline::Schedule &schedule, const cost::PipelineCost &cost) {
    const double share =
        schedule.weights == pipeline::Weights::synchronous ? 0 : 1.0 / static_cast<double>(schedule.micro_batches);
    pipeline::Durations durations;
    for (const cost::StageRow &row : cost.stages) {
        durations.forward.push_back(row.forward.value);
        durations.input.push_back(row.input_gradients.value);
        durations.weight.push_back(row.weight_gradients.value + share * row.update.value);
    }
    for (std::size_t border = 0; border + 1 < cost.stages.size(); ++border) {
        durations.transfer.push_back((cost.stages[border].sends - cost.stages[border].sends_back).value);
        durations.transfer_back.push_back(cost.stages[border + 1].sends_back.value);
    }
    durations.sizes = cost.sizes;
    return durations;
}

Seconds end_of_updates(const pipeline::Schedule &schedule, const std::vector<std::vector<pipeline::Span>> &spans,
                       const cost::PipelineCost &cost) {
    if (schedule.weights == pipeline::Weights::synchronous)
        return Seconds(Updates(schedule, cost).end(spans));
    double end = 0;
    for (const std::vector<pipeline::Span> &of_rank : spans)
        for (const pipeline::Span &span : of_rank)
            end = std::max(end, span.end);
    return Seconds(end);
}

Seconds longest_update(const pipeline::Schedule &schedule, const cost::PipelineCost &cost) {
    if (schedule.weights != pipeline::Weights::synchronous)
        return Seconds(0);
    std::vector<Seconds> updates(static_cast<std::size_t>(schedule.ranks));
    for (int part = 0; part < schedule.parts(); ++part)
        updates[static_cast<std::size_t>(schedule.rank_of_part(part))] +=
            cost.stages[static_cast<std::size_t>(part % schedule.stages)].update;
    return *std::max_element(updates.begin(), updates.end());
}

} // namespace planc::plan
