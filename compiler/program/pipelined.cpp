#include "program/pipelined.h"

#include "program/slots.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace planc::program {

namespace {

/// A body on a micro-batch.
struct Run {
    int body = 0;
    int micro_batch = 0;
    int slot = 0;
    int replica = 0;
    bool receives_only = false; ///< it runs later, but what it takes comes now
};

/// The bodies of one role, in order.
class Runs {
  public:
    Runs(const Program &program, const pipeline::Schedule &schedule, const std::vector<StageBodies> &stages)
        : program_(program), schedule_(schedule), stages_(stages), slots_(slots_of(schedule)) {}

    std::vector<Run> of(int rank) {
        const std::vector<int> &slots = slots_[static_cast<std::size_t>(rank)];
        std::vector<Run> runs;
        std::vector<Ended> ended; // in the order in which they end
        for (const pipeline::Action &action : schedule_.actions[static_cast<std::size_t>(rank)]) {
            const StageBodies &bodies = bodies_of(action.stage, action.micro_batch);
            const auto m = static_cast<std::size_t>(action.micro_batch);
            Run run{-1, action.micro_batch, slots[m], schedule_.replica_of[m]};
            // The gradients for which I waits in the schedule may all be W's: of a stage that passes none on.
            if (action.kind == pipeline::Kind::input_gradient && bodies.weight_gradient >= 0)
                runs.push_back({bodies.weight_gradient, run.micro_batch, run.slot, run.replica, true});
            for (const int body : bodies_of(bodies, action.kind))
                if (run.body = body; body >= 0)
                    runs.push_back(run);
            if (!bodies.kind.updates || !pipeline::frees(action.kind))
                continue;
            if (schedule_.weights == pipeline::Weights::synchronous) {
                ended.push_back({&bodies, run});
                continue;
            }
            for (const int body : bodies.update) {
                run.body = body;
                runs.push_back(run);
            }
        }
        std::size_t levels = 0;
        for (const Ended &stage : ended)
            levels = std::max(levels, stage.bodies->update.size());
        for (std::size_t level = 0; level < levels; ++level)
            for (auto &[bodies, run] : ended)
                if (level < bodies->update.size() && bodies->update[level] >= 0) {
                    run.body = bodies->update[level];
                    runs.push_back(run);
                }
        return runs;
    }

  private:
    /// A stage whose gradients are complete, and its last micro-batch.
    struct Ended {
        const StageBodies *bodies;
        Run run;
    };

    static std::vector<int> bodies_of(const StageBodies &bodies, pipeline::Kind kind) {
        switch (kind) {
        case pipeline::Kind::forward:
            return {bodies.forward};
        case pipeline::Kind::backward:
            return {bodies.backward, bodies.weight_gradient};
        case pipeline::Kind::input_gradient:
            return {bodies.backward};
        case pipeline::Kind::weight_gradient:
            return {bodies.weight_gradient};
        }
        return {};
    }

    const StageBodies &bodies_of(int stage, int micro_batch) const {
        const MicroBatchKind kind = kind_of(program_.micro_batches, schedule_, micro_batch);
        const int part = schedule_.part_of(stage, micro_batch);
        const auto found = std::find_if(stages_.begin(), stages_.end(), [&](const StageBodies &bodies) {
            return bodies.stage == part && bodies.kind == kind;
        });
        if (found == stages_.end())
            throw std::invalid_argument("stage " + std::to_string(stage) + " has no bodies for a micro-batch of " +
                                        std::to_string(kind.samples) + " samples");
        return *found;
    }

    const Program &program_;
    const pipeline::Schedule &schedule_;
    const std::vector<StageBodies> &stages_;
    std::vector<std::vector<int>> slots_; ///< by rank and micro-batch
};

/// Puts the transfers around the bodies of one role.
class RoleActions {
  public:
    RoleActions(const Program &program, const std::vector<StageBodies> &stages, int stage_count) : program_(program) {
        for (const StageBodies &bodies : stages)
            for (const int body : bodies.update)
                if (body >= 0)
                    for (const int value : program.bodies[static_cast<std::size_t>(body)].takes)
                        updates_[value] = bodies.stage / stage_count;
        for (int t = 0; t < static_cast<int>(program.transfers.size()); ++t) {
            const Transfer &transfer = program.transfers[static_cast<std::size_t>(t)];
            leaves_by_[transfer.from].push_back(t);
            arrives_by_[transfer.to] = t;
        }
    }

    std::vector<Action> of(const std::vector<Run> &runs) {
        actions_.clear();
        slots_.clear();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            receive(runs[i]);
            if (runs[i].receives_only)
                continue;
            for (std::size_t next = i + 1; next < runs.size() && key(runs[next]) != key(runs[i]); ++next) {
                start_receiving(runs[next]);
                if (!runs[next].receives_only)
                    break;
            }
            run(runs[i]);
        }
        for (auto &[key, slot] : slots_)
            empty(slot, key.second);
        return std::move(actions_);
    }

  private:
    /// Whose values a slot has. Values of unlike micro-batches may share places.
    struct Slot {
        int micro_batch = -1;
        std::set<int> arriving;   ///< values whose receive has begun
        std::set<int> arrived;    ///< values
        std::vector<int> leaving; ///< transfers that may still read their values
    };

    /// Slots of different replicas hold different micro-batches.
    using Key = std::pair<int, int>; ///< replica and slot
    static Key key(const Run &run) { return {run.replica, run.slot}; }

    /// Whether it is moved within its role.
    [[nodiscard]] bool stays(int transfer) const {
        const Transfer &ends = program_.transfers[static_cast<std::size_t>(transfer)];
        return program_.values[static_cast<std::size_t>(ends.from)].role ==
               program_.values[static_cast<std::size_t>(ends.to)].role;
    }
    /// Whether its value is taken by the update of another replica than that of the run. The place in the slot of the
    /// last micro-batch there may hold values of earlier ones until that update.
    [[nodiscard]] bool changes_replica(int transfer, const Run &run) const {
        const auto taker = updates_.find(program_.transfers[static_cast<std::size_t>(transfer)].to);
        return taker != updates_.end() && taker->second != run.replica;
    }

    [[nodiscard]] const Body &body(const Run &run) const { return program_.bodies[static_cast<std::size_t>(run.body)]; }
    void add(ActionKind kind, int index, int micro_batch, int slot) {
        actions_.push_back({kind, index, micro_batch, slot});
    }

    /// Waits until all that was sent from the slot has left.
    void empty(Slot &slot, int number) {
        for (const int transfer : slot.leaving)
            add(ActionKind::wait, transfer, slot.micro_batch, number);
        slot.leaving.clear();
    }

    Slot &slot_of(const Run &run) {
        Slot &slot = slots_[key(run)];
        if (slot.micro_batch != run.micro_batch) {
            empty(slot, run.slot);
            slot = {run.micro_batch, {}, {}, {}};
        }
        return slot;
    }

    void receive(const Run &run) {
        Slot &slot = slot_of(run);
        for (const int value : body(run).takes)
            if (arrives_by_.contains(value) && slot.arrived.insert(value).second) {
                slot.arriving.erase(value);
                const int transfer = arrives_by_[value];
                add(stays(transfer) ? ActionKind::move : ActionKind::receive, transfer, run.micro_batch, run.slot);
            }
    }

    /// Begins what the next run waits for, if its slot is its own or has nothing that is still to leave.
    void start_receiving(const Run &next) {
        if (const Slot &slot = slots_[key(next)]; slot.micro_batch != next.micro_batch && !slot.leaving.empty())
            return;
        Slot &slot = slot_of(next);
        for (const int value : body(next).takes)
            if (arrives_by_.contains(value) && !stays(arrives_by_[value]) && !slot.arrived.contains(value) &&
                slot.arriving.insert(value).second)
                add(ActionKind::start, arrives_by_[value], next.micro_batch, next.slot);
    }

    void run(const Run &run) {
        add(ActionKind::run, run.body, run.micro_batch, run.slot);
        for (const int value : body(run).gives)
            for (const int transfer : leaves_by_[value]) {
                if (stays(transfer)) {
                    if (!changes_replica(transfer, run)) { // else it is moved just before that update
                        add(ActionKind::move, transfer, run.micro_batch, run.slot);
                        slot_of(run).arrived.insert(program_.transfers[static_cast<std::size_t>(transfer)].to);
                    }
                    continue;
                }
                add(ActionKind::send, transfer, run.micro_batch, run.slot);
                slot_of(run).leaving.push_back(transfer);
            }
    }

    const Program &program_;
    std::map<int, int> updates_;                ///< by value: the replica whose update takes it
    std::map<int, int> arrives_by_;             ///< by value: the transfer
    std::map<int, std::vector<int>> leaves_by_; ///< by value: the transfers
    std::map<Key, Slot> slots_;
    std::vector<Action> actions_;
};

} // namespace

std::vector<std::vector<Action>> pipelined(const Program &program, const pipeline::Schedule &schedule,
                                           const std::vector<StageBodies> &stages) {
    std::vector<std::vector<Action>> actions;
    Runs runs(program, schedule, stages);
    RoleActions with_transfers(program, stages, schedule.stages);
    for (int rank = 0; rank < schedule.ranks; ++rank)
        actions.push_back(with_transfers.of(runs.of(rank)));
    return actions;
}

} // namespace planc::program
