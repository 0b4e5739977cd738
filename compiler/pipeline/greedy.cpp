#include "pipeline/build.h"
#include "pipeline/walk.h"

#include <algorithm>
#include <array>
#include <optional>

namespace planc::pipeline {

namespace {

class Greedy {
  public:
    Greedy(Schedule &schedule, const GreedyRules &rules)
        : schedule_(schedule), rules_(rules), of_replica_(schedule.placement.size()),
          done_(2 * static_cast<std::size_t>(schedule.stages * schedule.micro_batches), 0),
          queues_(static_cast<std::size_t>(schedule.ranks)) {
        for (int micro_batch = 0; micro_batch < schedule.micro_batches; ++micro_batch)
            of_replica_[static_cast<std::size_t>(schedule.replica_of[static_cast<std::size_t>(micro_batch)])].push_back(
                micro_batch);
        for (std::size_t replica = 0; replica < schedule.placement.size(); ++replica)
            for (int stage = 0; stage < schedule.stages; ++stage)
                queues_[static_cast<std::size_t>(schedule.placement[replica][static_cast<std::size_t>(stage)])]
                    .push_back({replica, stage, {}});
    }

    void run() {
        const std::size_t kinds = rules_.split ? 3 : 2;
        std::size_t left = kinds * static_cast<std::size_t>(schedule_.stages * schedule_.micro_batches);
        while (left > 0) {
            // Results count from the next step on: first all ranks choose, then their actions are done.
            std::vector<int> given;
            for (std::size_t rank = 0; rank < queues_.size(); ++rank) {
                Queue *queue = nullptr;
                if (const std::optional<Action> action = choose(queues_[rank], queue)) {
                    schedule_.actions[rank].push_back(*action);
                    ++queue->next[static_cast<std::size_t>(action->kind)];
                    given.push_back(gives(schedule_, *action));
                    --left;
                }
            }
            for (const int result : given)
                if (result >= 0)
                    done_[static_cast<std::size_t>(result)] = 1;
        }
    }

  private:
    /// One stage of a replica: how many of the replica's micro-batches have passed it, by kind of action.
    struct Queue {
        std::size_t replica = 0;
        int stage = 0;
        std::array<int, 4> next{};
    };

    std::optional<Action> choose(std::vector<Queue> &queues, Queue *&chosen) const {
        const Kind gradient = rules_.split ? Kind::input_gradient : Kind::backward;
        for (const Kind kind : {gradient, Kind::forward, Kind::weight_gradient}) {
            std::optional<Action> best;
            for (Queue &queue : queues) {
                const std::optional<Action> action = next(queue, kind);
                if (action && (!best || action->micro_batch < best->micro_batch)) {
                    best = action;
                    chosen = &queue;
                }
            }
            if (best)
                return best;
        }
        return {};
    }

    /// The next action of a kind on a stage, if it can run.
    [[nodiscard]] std::optional<Action> next(const Queue &queue, Kind kind) const {
        const auto count = [&](Kind of) { return queue.next[static_cast<std::size_t>(of)]; };
        const std::vector<int> &micro_batches = of_replica_[queue.replica];
        const auto index = static_cast<std::size_t>(count(kind));
        const Kind freeing = rules_.split ? Kind::weight_gradient : Kind::backward;
        if (index >= micro_batches.size() || (kind == Kind::weight_gradient && !rules_.split) ||
            (kind == Kind::forward && count(kind) - count(freeing) >= rules_.alive))
            return {};
        const Action action{kind, queue.stage, micro_batches[index]};
        const std::array<Need, 2> needed = needs(schedule_, action);
        const bool ready = std::all_of(needed.begin(), needed.end(), [&](const Need &need) {
            return need.result < 0 || done_[static_cast<std::size_t>(need.result)];
        });
        return ready ? std::optional(action) : std::nullopt;
    }

    Schedule &schedule_;
    const GreedyRules rules_;
    std::vector<std::vector<int>> of_replica_; ///< micro-batches
    std::vector<char> done_;                   ///< by result
    std::vector<std::vector<Queue>> queues_;   ///< by rank
};

} // namespace

void order_greedily(Schedule &schedule, const GreedyRules &rules) {
    Greedy(schedule, rules).run();
}

} // namespace planc::pipeline
