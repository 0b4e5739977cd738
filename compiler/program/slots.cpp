#include "program/slots.h"

#include "pipeline/walk.h"

#include <algorithm>

namespace planc::program {

namespace {

/// The slots of a rank for the micro-batches of one replica.
struct Holders {
    std::vector<int> stages; ///< of the replica
    std::vector<int> holder; ///< by slot: the last micro-batch that has taken it
    int most = 1;            ///< slots
};

/// Runs the actions in an order that their needs permit, and gives a rank a slot when it begins a micro-batch.
class Slots {
  public:
    explicit Slots(const pipeline::Schedule &schedule)
        : schedule_(schedule), done_(2 * index(schedule.stages * schedule.micro_batches), false) {
        for (const auto &actions : schedule.actions) {
            Rank &rank = ranks_.emplace_back();
            rank.slots.assign(index(schedule.micro_batches), -1);
            rank.left.assign(index(schedule.micro_batches), 0);
            for (const pipeline::Action &action : actions)
                ++rank.left[index(action.micro_batch)];
            rank.replicas.resize(schedule.placement.size());
            count_alive(actions, rank.left, rank.replicas);
        }
        for (int part = 0; part < schedule.parts(); ++part)
            ranks_[index(schedule.rank_of_part(part))].replicas[index(part / schedule.stages)].stages.push_back(
                part % schedule.stages);
    }

    std::vector<std::vector<int>> run() {
        bool any = true;
        while (any) {
            any = false;
            for (int rank = 0; rank < schedule_.ranks; ++rank)
                while (advance(rank))
                    any = true;
            any = any || add_slot();
        }
        std::vector<std::vector<int>> slots;
        for (int rank = 0; rank < schedule_.ranks; ++rank) {
            may_wait_ = false; // where ranks wait for each other whatever the slots
            while (advance(rank)) {
            }
            if (schedule_.placement.size() > 1)
                renumber(ranks_[index(rank)].slots);
            slots.push_back(std::move(ranks_[index(rank)].slots));
        }
        return slots;
    }

  private:
    struct Rank {
        std::vector<int> slots; ///< by micro-batch; -1: none yet
        std::vector<int> left;  ///< by micro-batch: its actions that are left
        std::vector<Holders> replicas;
        std::size_t next = 0; ///< action
    };

    static std::size_t index(int number) { return static_cast<std::size_t>(number); }

    [[nodiscard]] std::size_t replica_of(int micro_batch) const {
        return index(schedule_.replica_of[index(micro_batch)]);
    }

    /// By replica, the most micro-batches between first and last action.
    void count_alive(const std::vector<pipeline::Action> &actions, std::vector<int> left,
                     std::vector<Holders> &replicas) const {
        std::vector<bool> begun(left.size(), false);
        std::vector<int> alive(replicas.size(), 0);
        for (const pipeline::Action &action : actions) {
            const std::size_t m = index(action.micro_batch);
            const std::size_t replica = replica_of(action.micro_batch);
            alive[replica] += begun[m] ? 0 : 1;
            begun[m] = true;
            replicas[replica].most = std::max(replicas[replica].most, alive[replica]);
            alive[replica] -= --left[m] == 0 ? 1 : 0;
        }
    }

    /// Gives slot 0 to the last micro-batch of each replica.
    void renumber(std::vector<int> &slots) const {
        for (int replica = 0; replica < static_cast<int>(schedule_.placement.size()); ++replica) {
            const int first = slots[index(schedule_.last_of(replica))];
            for (int m = 0; m < schedule_.micro_batches && first > 0; ++m)
                if (int &slot = slots[index(m)]; replica_of(m) == index(replica) && (slot == 0 || slot == first))
                    slot = slot == 0 ? first : 0;
        }
    }

    [[nodiscard]] const pipeline::Action *next(int rank) const {
        const auto &actions = schedule_.actions[index(rank)];
        const std::size_t next = ranks_[index(rank)].next;
        return next < actions.size() ? &actions[next] : nullptr;
    }

    [[nodiscard]] bool has_needs(const pipeline::Action &action) const {
        const auto needs = pipeline::needs(schedule_, action);
        return !may_wait_ || std::ranges::all_of(needs, [&](const pipeline::Need &need) {
            return need.result < 0 || done_[index(need.result)];
        });
    }

    /// Whether what the stages of a rank have sent of a micro-batch is received. The last that they send is a gradient;
    /// of the stages that get it, the first is the last to take it.
    [[nodiscard]] bool is_received(const Holders &holders, int micro_batch) const {
        return !may_wait_ || std::ranges::all_of(holders.stages, [&](int stage) {
            const int to = schedule_.reach.empty() ? stage - 1 : schedule_.reach[index(stage)];
            return stage == 0 || done_[index(pipeline::result(schedule_, true, to, micro_batch))];
        });
    }

    bool take_slot(Rank &rank, int micro_batch) {
        Holders &holders = rank.replicas[replica_of(micro_batch)];
        std::vector<int> &held = holders.holder;
        int &slot = rank.slots[index(micro_batch)];
        for (int s = 0; s < static_cast<int>(held.size()) && slot < 0; ++s)
            if (const int holder = held[index(s)]; rank.left[index(holder)] == 0 && is_received(holders, holder))
                slot = s;
        if (slot < 0 && (static_cast<int>(held.size()) < holders.most || !may_wait_)) {
            slot = static_cast<int>(held.size());
            held.push_back(micro_batch);
        }
        if (slot >= 0)
            held[index(slot)] = micro_batch;
        return slot >= 0;
    }

    /// Runs the next action of a rank if it can be run.
    bool advance(int number) {
        const pipeline::Action *action = next(number);
        Rank &rank = ranks_[index(number)];
        if (action == nullptr || !has_needs(*action))
            return false;
        if (rank.slots[index(action->micro_batch)] < 0 && !take_slot(rank, action->micro_batch))
            return false;
        if (const int given = pipeline::gives(schedule_, *action); given >= 0)
            done_[index(given)] = true;
        --rank.left[index(action->micro_batch)];
        ++rank.next;
        return true;
    }

    /// Gives one more slot to a rank that waits for nothing else.
    bool add_slot() {
        for (int rank = 0; rank < schedule_.ranks; ++rank)
            if (const pipeline::Action *action = next(rank); action != nullptr && has_needs(*action)) {
                ++ranks_[index(rank)].replicas[replica_of(action->micro_batch)].most;
                return true;
            }
        return false;
    }

    const pipeline::Schedule &schedule_;
    std::vector<bool> done_; ///< by result
    std::vector<Rank> ranks_;
    bool may_wait_ = true;
};

} // namespace

std::vector<std::vector<int>> slots_of(const pipeline::Schedule &schedule) {
    return Slots(schedule).run();
}

int slot_count(const std::vector<int> &slots) {
    return slots.empty() ? 1 : std::max(1, 1 + *std::ranges::max_element(slots));
}

} // namespace planc::program
