#include "plan/pipeline/step_times.h"

#include "program/slots.h"

#include <algorithm>
#include <vector>

namespace planc::plan {

using support::Seconds;

namespace {

class Updates {
  public:
    Updates(const pipeline::Schedule &schedule, const cost::PipelineCost &cost)
        : schedule_(schedule), cost_(cost), ranks_(static_cast<std::size_t>(schedule.ranks)),
          done_(static_cast<std::size_t>(schedule.parts())) {}

    double end(const std::vector<std::vector<pipeline::Span>> &spans) {
        for (std::size_t rank = 0; rank < spans.size(); ++rank)
            for (std::size_t i = 0; i < spans[rank].size(); ++i) {
                const pipeline::Action &action = schedule_.actions[rank][i];
                ranks_[rank].free = std::max(ranks_[rank].free, spans[rank][i].end);
                if (pipeline::frees(action.kind))
                    note_end(rank, schedule_.part_of(action.stage, action.micro_batch), spans[rank][i].end);
            }
        for (int level = 0; level < levels(); ++level)
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
                for (const int part : ranks_[rank].order)
                    run(rank, part, level);
        return std::ranges::max_element(ranks_, {}, &Rank::free)->free;
    }

  private:
    struct Rank {
        std::vector<int> order; ///< of its parts: as their backward passes end
        double free = 0;
        double began = 0; ///< the part of the update before
        int replica = -1; ///< of that; -1: there is none
    };

    void note_end(std::size_t rank, int part, double end) {
        std::erase(ranks_[rank].order, part);
        ranks_[rank].order.push_back(part);
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

    /// A level of a part.
    void run(std::size_t rank, int part, int level) {
        Rank &on = ranks_[rank];
        receive(on, part, level);
        on.began = on.free;
        const std::vector<Seconds> own = levels_of(part);
        if (static_cast<std::size_t>(level) < own.size())
            on.free += own[static_cast<std::size_t>(level)].value;
        done_[static_cast<std::size_t>(part)].push_back(on.free);
        on.replica = part / schedule_.stages;
    }

    /// Message by message; together, and while the rank updates another replica before, if it does.
    void receive(Rank &on, int part, int level) const {
        const bool together = on.replica >= 0 && on.replica != part / schedule_.stages;
        double arrived = on.began;
        double latency = 0;
        for (const cost::UpdateTransfer &transfer : cost_.update_transfers) {
            const std::vector<double> &sender = done_[static_cast<std::size_t>(transfer.from)];
            const auto sent = static_cast<std::size_t>(transfer.from_level + 1);
            if (transfer.to != part || transfer.to_level != level || sent >= sender.size())
                continue;
            double &time = together ? arrived : on.free;
            latency = std::max(latency, transfer.latency.value);
            time = std::max(time, sender[sent]) + (transfer.seconds - (together ? transfer.latency : Seconds(0))).value;
        }
        if (latency > 0 && together)
            on.free = std::max(on.free, arrived + latency);
    }

    const pipeline::Schedule &schedule_;
    const cost::PipelineCost &cost_;
    std::vector<Rank> ranks_;
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
        durations.late.push_back(row.late.value);
        durations.late_back.push_back(row.late_back.value);
    }
    for (std::size_t border = 0; border + 1 < cost.stages.size(); ++border) {
        durations.transfer.push_back(cost.stages[border].to_next.seconds.value);
        durations.transfer_back.push_back(cost.stages[border + 1].to_previous.seconds.value);
    }
    durations.sizes = cost.sizes;
    durations.slots = program::slots_of(schedule);
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
