// The table maker of pipelines: for all synchronous schedules, for all small D and N.
#include "program/pipelined.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "program/check.h"
#include "program/repeats.h"
#include "program/slots.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace planc::program {

namespace {

/// Stages that pass a value on in the forward pass and its gradient back. After the last micro-batch each has a norm,
/// which the next one needs for the second level of its update.
class Stages {
  public:
    Stages(pipeline::Schedule schedule, std::int64_t batch) : schedule_(std::move(schedule)) {
        const std::vector<std::vector<int>> slots = slots_of(schedule_);
        for (int rank = 0; rank < schedule_.ranks; ++rank)
            program.roles.push_back({"stage " + std::to_string(rank),
                                     {{{rank, rank + 1}}},
                                     slot_count(slots[static_cast<std::size_t>(rank)]),
                                     0,
                                     64});
        program.micro_batches = micro_batches(batch, schedule_.micro_batches);
        for (int replica = 0; replica < static_cast<int>(schedule_.placement.size()); ++replica) {
            program.last_of_replicas.push_back(schedule_.last_of(replica));
            std::vector<MicroBatchKind> known;
            for (int m = 0; m < schedule_.micro_batches; ++m) {
                const MicroBatchKind kind = kind_of(program.micro_batches, schedule_, m);
                if (schedule_.replica_of[static_cast<std::size_t>(m)] == replica &&
                    std::find(known.begin(), known.end(), kind) == known.end()) {
                    known.push_back(kind);
                    add(kind, replica);
                }
            }
        }
        join_norms();
        program.actions = pipelined(program, schedule_, bodies_);
    }

    [[nodiscard]] std::string found() const { return fault(program, {{schedule_.ranks}}); }
    [[nodiscard]] std::vector<std::string> texts(int role) const {
        std::vector<std::string> texts;
        for (const Action &action : program.actions[static_cast<std::size_t>(role)])
            texts.push_back(text(program, action));
        return texts;
    }

    Program program;

  private:
    [[nodiscard]] int role_of(int part) const { return schedule_.rank_of_part(part); }
    int value(const std::string &name, int stage) {
        program.values.push_back({name, role_of(stage), 0});
        return static_cast<int>(program.values.size()) - 1;
    }
    int body(const std::string &name, int stage, std::vector<int> takes, std::vector<int> gives) {
        program.bodies.push_back(
            {name + " " + suffix_ + "on " + std::to_string(stage), role_of(stage), std::move(takes), std::move(gives)});
        return static_cast<int>(program.bodies.size()) - 1;
    }
    /// Between two values, to a stage; -1 where there is no such value.
    void transfer(const std::string &name, int from, int to, int stage) {
        if (from >= 0 && to >= 0)
            program.transfers.push_back({name + " " + suffix_ + "to " + std::to_string(stage), from, to});
    }
    static std::vector<int> present(const std::vector<int> &values) {
        std::vector<int> result;
        std::copy_if(values.begin(), values.end(), std::back_inserter(result), [](int each) { return each >= 0; });
        return result;
    }

    void add(const MicroBatchKind &kind, int replica) {
        suffix_ = kind.updates ? "last " : std::to_string(kind.samples) + " ";
        const int first = replica * schedule_.stages;
        const int end = first + schedule_.stages;
        int out = -1;  // of the stage before
        int back = -1; // where the stage before gets its gradient
        for (int part = first; part < end; ++part) {
            const int in = part > first ? value("h", part) : -1;
            const int made = part + 1 < end ? value("h", part) : -1;
            const int arrives = part + 1 < end ? value("g", part) : -1;
            const int gradient = part > first ? value("g", part) : -1;
            const int kept = value("kept", part);
            transfer("h", out, in, part);
            transfer("g", gradient, back, part - 1);
            out = made;
            back = arrives;
            StageBodies bodies{kind, part};
            bodies.forward = body("forward", part, present({in}), present({made}));
            bodies.backward = body("backward", part, present({in, arrives}), present({gradient, kept}));
            if (splits_)
                bodies.weight_gradient = body("weights", part, {kept}, {});
            if (kind.updates) {
                norms_.push_back(value("n", part));
                arriving_norms_.push_back(value("n", part));
                bodies.update = {body("norm", part, {}, {norms_.back()}),
                                 body("update", part, {arriving_norms_.back()}, {})};
            }
            bodies_.push_back(bodies);
        }
    }

    /// Each stage of each replica gets the norm of the one before it.
    void join_norms() {
        suffix_ = "last ";
        for (std::size_t part = 0; part < norms_.size() && norms_.size() > 1; ++part)
            transfer("n", norms_[part], arriving_norms_[(part + 1) % norms_.size()],
                     static_cast<int>((part + 1) % norms_.size()));
        if (norms_.size() == 1) // nothing travels on one rank: the update takes its own norm
            program.bodies[static_cast<std::size_t>(bodies_.back().update[1])].takes = {norms_.front()};
    }

    pipeline::Schedule schedule_;
    bool splits_ = pipeline::text(schedule_).find('W') != std::string::npos;
    std::vector<StageBodies> bodies_;
    std::vector<int> norms_; ///< by part
    std::vector<int> arriving_norms_;
    std::string suffix_;
};

/// Runs all roles side by side. A message leaves when its receiver has begun to receive it. Returns where all are if
/// none can go on.
std::string deadlock(const Program &program) {
    std::set<std::pair<int, int>> sent; // transfer, micro-batch
    std::set<std::pair<int, int>> begun;
    std::vector<std::size_t> next(program.roles.size(), 0);
    const auto advance = [&](std::size_t role) {
        const Action &action = program.actions[role][next[role]];
        const std::vector<int> &last = program.last_of_replicas;
        const bool ends = std::find(last.begin(), last.end(), action.micro_batch) != last.end();
        const std::pair message(action.index, ends ? last.front() : action.micro_batch);
        if (action.kind == ActionKind::send)
            sent.insert(message);
        if (action.kind == ActionKind::start || action.kind == ActionKind::receive)
            begun.insert(message);
        if ((action.kind == ActionKind::receive && !sent.contains(message)) ||
            (action.kind == ActionKind::wait && !begun.contains(message)))
            return false;
        ++next[role];
        return true;
    };
    for (bool any = true; any;) {
        const std::size_t before = begun.size();
        any = false;
        for (std::size_t role = 0; role < next.size(); ++role)
            while (next[role] < program.actions[role].size() && advance(role))
                any = true;
        any = any || begun.size() > before;
    }
    std::string where;
    for (std::size_t role = 0; role < next.size(); ++role)
        if (next[role] < program.actions[role].size())
            where += program.roles[role].name + " at '" + text(program, program.actions[role][next[role]]) + "' ";
    return where;
}

using Maker = std::function<pipeline::Schedule(int, int)>;
const std::map<std::string, Maker> makers{{"gpipe", pipeline::gpipe},
                                          {"one_f_one_b", pipeline::one_f_one_b},
                                          {"interleaved", [](int d, int n) { return pipeline::interleaved(d, 3, n); }},
                                          {"zero_bubble", pipeline::zero_bubble},
                                          {"zero_bubble_2", pipeline::zero_bubble_2},
                                          {"zb_v", pipeline::zb_v},
                                          {"chimera", [](int d, int n) { return pipeline::chimera(d + d % 2, n); }}};

} // namespace

TEST(Pipelined, has_no_fault_and_no_deadlock) {
    for (const auto &[name, maker] : makers)
        for (int ranks = 1; ranks <= 6; ++ranks)
            for (int count = 1; count <= 2 * ranks + 2; ++count)
                for (const int samples : {count, 2 * count, 2 * count + 1, 3 * count - 1}) {
                    SCOPED_TRACE(name + " " + std::to_string(ranks) + " " + std::to_string(count) + " " +
                                 std::to_string(samples));
                    if (samples < count)
                        continue;
                    const Stages made(maker(ranks, count), samples);
                    ASSERT_EQ(made.found(), "");
                    ASSERT_EQ(deadlock(made.program), "");
                }
}

TEST(Pipelined, micro_batches_in_flight_have_different_slots) {
    for (const auto &[name, maker] : makers)
        for (int count = 1; count <= 12; ++count) {
            const pipeline::Schedule schedule = maker(4, count);
            const std::vector<std::vector<int>> slots_of_ranks = slots_of(schedule);
            for (int rank = 0; rank < 4; ++rank) {
                const std::vector<int> &slots = slots_of_ranks[static_cast<std::size_t>(rank)];
                std::map<std::pair<int, int>, int> owner; // by replica and slot
                std::map<int, int> left;                  // by micro-batch: actions to come
                for (const pipeline::Action &action : schedule.actions[static_cast<std::size_t>(rank)])
                    ++left[action.micro_batch];
                for (const pipeline::Action &action : schedule.actions[static_cast<std::size_t>(rank)]) {
                    const auto m = static_cast<std::size_t>(action.micro_batch);
                    const std::pair slot(schedule.replica_of[m], slots[m]);
                    ASSERT_EQ(owner.try_emplace(slot, action.micro_batch).first->second, action.micro_batch)
                        << name << " " << count << ", rank " << rank;
                    if (--left[action.micro_batch] == 0)
                        owner.erase(slot);
                }
            }
        }
}

namespace {

/// All actions of a folded list.
std::vector<Action> unfolded(const Folded &folded, int slots) {
    std::vector<Action> all;
    std::size_t done = 0;
    for (const Repeat &repeat : folded.repeats) {
        for (; done < static_cast<std::size_t>(repeat.first); ++done)
            all.push_back(folded.actions[done]);
        for (int time = 0; time < repeat.times; ++time)
            for (int i = 0; i < repeat.actions; ++i) {
                Action action = folded.actions[done + static_cast<std::size_t>(i)];
                action.micro_batch += time * repeat.micro_batches;
                action.slot = (action.slot + time * repeat.slots) % slots;
                all.push_back(action);
            }
        done += static_cast<std::size_t>(repeat.actions);
    }
    all.insert(all.end(), folded.actions.begin() + static_cast<std::ptrdiff_t>(done), folded.actions.end());
    return all;
}

} // namespace

TEST(Repeats, lists_do_not_grow_with_the_micro_batches) {
    for (const auto &[name, maker] : makers)
        for (const int ranks : {1, 2, 3, 4}) {
            std::map<int, std::size_t> lines; // by number of micro-batches
            for (const int count : {1, 3, 12, 24, 48}) {
                const Stages made(maker(ranks, count), count);
                for (std::size_t role = 0; role < made.program.roles.size(); ++role) {
                    const Folded list = folded(made.program.actions[role], made.program.roles[role].slots);
                    ASSERT_EQ(unfolded(list, made.program.roles[role].slots), made.program.actions[role]);
                    lines[count] += list.actions.size() + list.repeats.size();
                }
            }
            // Ends differ by a few lines with the place where the last repeat ends.
            EXPECT_LE(lines[48], lines[24] + lines[24] / 20) << name << " on " << ranks << " ranks";
        }
}

TEST(Repeats, are_those_that_leave_the_fewest_lines) {
    const auto run = [](int body, int micro_batch, int slot) {
        return Action{ActionKind::run, body, micro_batch, slot};
    };
    std::vector<Action> actions{run(7, 0, 0)};
    for (int i = 0; i < 6; ++i) { // micro-batches backwards, slots in turn
        actions.push_back(run(0, 9 - i, (1 + i) % 3));
        actions.push_back(run(1, 8 - i, (2 + i) % 3));
    }
    actions.push_back(run(1, 0, 0));
    const Folded list = folded(actions, 3);
    EXPECT_EQ(list.repeats, (std::vector<Repeat>{{1, 2, 6, -1, 1}}));
    EXPECT_EQ(list.actions, (std::vector<Action>{run(7, 0, 0), run(0, 9, 1), run(1, 8, 2), run(1, 0, 0)}));
    EXPECT_TRUE(folded({}, 1).actions.empty());
    EXPECT_EQ(folded({run(0, 0, 0), run(0, 2, 0), run(0, 3, 0)}, 1).repeats, std::vector<Repeat>());
}

TEST(Pipelined, receives_before_bodies_and_waits_before_slots_are_used_again) {
    const Stages made(pipeline::one_f_one_b(2, 3), 6);
    EXPECT_EQ(made.texts(0),
              (std::vector<std::string>{
                  "0:0 run forward 2 on 0", "0:0 send h 2 to 1", "0:0 start g 2 to 0", "1:1 run forward 2 on 0",
                  "1:1 send h 2 to 1", "0:0 receive g 2 to 0", "0:0 run backward 2 on 0",
                  // the slot of micro-batch 0 is empty before micro-batch 2 gets it
                  "0:0 wait h 2 to 1", "1:1 start g 2 to 0", "2:0 run forward last on 0", "2:0 send h last to 1",
                  "1:1 receive g 2 to 0", "2:0 start g last to 0", "1:1 run backward 2 on 0", "2:0 receive g last to 0",
                  "2:0 run backward last on 0",
                  // the second level of the update needs what the other stage makes in the first
                  "2:0 run norm last on 0", "2:0 send n last to 1", "2:0 receive n last to 0",
                  "2:0 run update last on 0", "2:0 wait h last to 1", "2:0 wait n last to 1", "1:1 wait h 2 to 1"}));
}

// Rank 1 has both stages at the turn of the V. What the one gives is the other's at once, and no message.
TEST(Pipelined, moves_what_stays_on_a_rank) {
    const Stages made(pipeline::zb_v(2, 1), 1);
    EXPECT_EQ(made.texts(1), (std::vector<std::string>{
                                 "0:0 receive h last to 1",    "0:0 run forward last on 1", "0:0 move h last to 2",
                                 "0:0 run forward last on 2",  "0:0 send h last to 3",      "0:0 receive g last to 2",
                                 "0:0 run backward last on 2", "0:0 move g last to 1",      "0:0 run weights last on 2",
                                 "0:0 run backward last on 1", "0:0 send g last to 0",      "0:0 run weights last on 1",
                                 "0:0 run norm last on 2",     "0:0 send n last to 3",      "0:0 run norm last on 1",
                                 "0:0 move n last to 2",       "0:0 run update last on 2",  "0:0 receive n last to 1",
                                 "0:0 run update last on 1",   "0:0 wait h last to 3",      "0:0 wait g last to 0",
                                 "0:0 wait n last to 3"}));
}

TEST(Pipelined, whole_backward_passes_beside_split_ones) {
    const Stages made(pipeline::read_text("0: F0 F1 I0 W0 B1\n"), 2);
    EXPECT_EQ(made.texts(0), (std::vector<std::string>{"0:0 run forward 1 on 0", "1:1 run forward last on 0",
                                                       "0:0 run backward 1 on 0", "0:0 run weights 1 on 0",
                                                       "1:1 run backward last on 0", "1:1 run weights last on 0",
                                                       "1:1 run norm last on 0", "1:1 run update last on 0"}));
}

TEST(Pipelined, wants_bodies_for_each_kind) {
    Program program;
    program.roles = {{"stage 0", {{{0, 1}}}}};
    program.micro_batches = micro_batches(3, 2);
    EXPECT_THROW(static_cast<void>(pipelined(program, pipeline::gpipe(1, 2), {{{1, true}, 0}})), std::invalid_argument);
}

} // namespace planc::program
