#include "messages/pipeline_events.h"

#include "program/pipelined.h"
#include "program/slots.h"

#include <algorithm>
#include <utility>

namespace planc::messages {

namespace {

class Maker {
  public:
    Maker(const pipeline::Schedule &schedule, const PipelineSizes &sizes, std::mt19937 &random)
        : schedule_(schedule), sizes_(sizes), random_(random) {}

    PipelineProgram make() {
        made_.mesh = {{schedule_.ranks, sizes_.rows}};
        const std::vector<std::vector<int>> slots = program::slots_of(schedule_);
        for (int rank = 0; rank < schedule_.ranks; ++rank)
            made_.program.roles.push_back({"stage " + std::to_string(rank),
                                           {{{rank, rank + 1}, {0, sizes_.rows}}},
                                           program::slot_count(slots[static_cast<std::size_t>(rank)]),
                                           0,
                                           64});
        made_.program.micro_batches = program::micro_batches(schedule_.micro_batches, schedule_.micro_batches);
        std::vector<program::StageBodies> stages;
        for (int stage = 0; stage < schedule_.stages; ++stage)
            add_stage(stage, stages);
        for (int stage = 0; stage + 1 < schedule_.stages; ++stage) {
            const auto at = static_cast<std::size_t>(stage);
            const auto name = std::to_string(stage);
            link(stages[at].forward, stages[at + 1].forward, "h" + name);
            link(stages[at + 1].backward, stages[at].backward, "gradient of h" + name);
        }
        std::vector<program::StageBodies> kinds;
        for (const program::MicroBatchKind &kind : program::kinds(made_.program.micro_batches))
            for (program::StageBodies bodies : stages) {
                bodies.kind = kind;
                kinds.push_back(bodies);
            }
        made_.program.actions = program::pipelined(made_.program, schedule_, kinds);
        return std::move(made_);
    }

  private:
    [[nodiscard]] int role_of(int stage) const { return schedule_.rank_of(stage, 0); }
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

    void add_stage(int stage, std::vector<program::StageBodies> &stages) {
        const std::string name = std::to_string(stage);
        const int forward = add_body("forward " + name, stage);
        const int backward = add_body("backward " + name, stage);
        // Forward gives something to backward.
        made_.program.values.push_back({"activations of " + name, role_of(stage)});
        const int kept = static_cast<int>(made_.program.values.size()) - 1;
        made_.program.bodies[static_cast<std::size_t>(forward)].gives.push_back(kept);
        made_.program.bodies[static_cast<std::size_t>(backward)].takes.push_back(kept);
        const int weights = add_body("weights " + name, stage);
        stages.push_back({{}, stage, forward, backward, splits_ ? weights : -1, {add_body("update " + name, stage)}});
    }

    int add_body(const std::string &name, int stage) {
        made_.program.bodies.push_back({name, role_of(stage)});
        std::vector<BodyStep> &steps = made_.communication.bodies.emplace_back();
        const int count = sizes_.varied ? below(sizes_.collectives + 1) : sizes_.collectives;
        std::vector<int> open;
        for (int i = 0; i < count; ++i) {
            open.push_back(add_started(name));
            steps.push_back({false, open.back()});
            if (sizes_.varied && below(2) == 0) // some are under way at the same time
                continue;
            for (const int each : open)
                steps.push_back({true, each});
            open.clear();
        }
        for (const int each : open)
            steps.push_back({true, each});
        return static_cast<int>(made_.program.bodies.size()) - 1;
    }

    int add_started(const std::string &body) {
        std::vector<Started> &all = made_.communication.started;
        const auto number = static_cast<int>(all.size());
        Started &started = all.emplace_back(Started{"collective " + std::to_string(number) + " of " + body, number});
        started.axes = {1};
        started.bytes = {64};
        const int choice = sizes_.varied ? below(4) : 0;
        started.by_messages = choice == 1;
        if (choice == 2)
            started.kind = planrt::CollectiveKind::all_gather;
        if (choice != 3)
            return number;
        started.kind = planrt::CollectiveKind::exchange; // with the next row, and the one before
        for (int row = 0; row < sizes_.rows; ++row)
            for (const int peer : {row - 1, row + 1})
                if (peer >= 0 && peer < sizes_.rows)
                    for (const bool is_sent : {false, true})
                        started.messages.push_back({row, peer, is_sent, 0, 0, 8 + (is_sent ? row : peer)});
        return number;
    }

    /// What one body gives and another takes. Of one role it may stay on its rank, which is no message.
    void link(int from, int to, const std::string &name) {
        program::Program &program = made_.program;
        program::Body &giver = program.bodies[static_cast<std::size_t>(from)];
        program::Body &taker = program.bodies[static_cast<std::size_t>(to)];
        const auto value = static_cast<int>(program.values.size());
        program.values.push_back({name, giver.role});
        giver.gives.push_back(value);
        program.values.push_back({name, taker.role});
        taker.takes.push_back(value + 1);
        const auto number = static_cast<int>(program.transfers.size());
        program.transfers.push_back({name, value, value + 1});
        Transferred &transfer =
            made_.communication.transfers.emplace_back(Transferred{"transfer of " + name, 1000 + number});
        const int shift = sizes_.varied ? below(sizes_.rows) : 0;
        const bool all_pairs = sizes_.varied && below(3) == 0;
        for (int row = 0; row < sizes_.rows; ++row)
            for (int other = 0; other < sizes_.rows; ++other)
                if (all_pairs || other == (row + shift) % sizes_.rows) {
                    const std::int64_t bytes = 64 * (1 + row) + other;
                    const int sender = giver.role * sizes_.rows + row;
                    const int receiver = taker.role * sizes_.rows + other;
                    if (sender == receiver)
                        continue;
                    transfer.messages.push_back({sender, receiver, true, 0, 0, bytes});
                    transfer.messages.push_back({receiver, sender, false, 0, 0, bytes});
                }
        std::ranges::stable_sort(transfer.messages, {}, &Message::rank);
    }

    const pipeline::Schedule &schedule_;
    bool splits_ = std::ranges::any_of(schedule_.actions, [](const auto &actions) {
        return std::ranges::any_of(
            actions, [](const pipeline::Action &action) { return action.kind == pipeline::Kind::weight_gradient; });
    });
    PipelineSizes sizes_;
    std::mt19937 &random_;
    PipelineProgram made_;
};

} // namespace

PipelineProgram pipeline_program(const pipeline::Schedule &schedule, const PipelineSizes &sizes, std::mt19937 &random) {
    return Maker(schedule, sizes, random).make();
}

} // namespace planc::messages
