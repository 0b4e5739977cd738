// Random pipelines: the proof accepts those that an independent execution finishes, and no others.
#include "messages/executor.h"
#include "messages/fold.h"
#include "messages/pipeline_events.h"
#include "messages/planted.h"
#include "messages/prove.h"
#include "pipeline/makers.h"
#include "pipeline/random_schedule.h"
#include "pipeline/text.h"
#include "program/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace planc::messages {

namespace {

int below(std::mt19937 &random, int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
}

/// Gives the k-th F of each stage to micro-batch k, and likewise the k-th gradient, and the k-th W to the micro-batch
/// of the k-th I. What the actions need stays done before them.
void take_micro_batches_in_order(pipeline::Schedule &schedule) {
    const auto stages = static_cast<std::size_t>(schedule.stages);
    std::vector<int> forwards(stages, 0);
    std::vector<int> gradients(stages, 0);
    std::vector<std::vector<int>> split(stages);
    std::vector<std::size_t> weights(stages, 0);
    for (std::vector<pipeline::Action> &actions : schedule.actions)
        for (pipeline::Action &action : actions) {
            const auto stage = static_cast<std::size_t>(action.stage);
            if (action.kind == pipeline::Kind::weight_gradient) {
                action.micro_batch = split[stage][weights[stage]++];
                continue;
            }
            action.micro_batch = (pipeline::gives_gradient(action.kind) ? gradients : forwards)[stage]++;
            if (action.kind == pipeline::Kind::input_gradient)
                split[stage].push_back(action.micro_batch);
        }
}

/// A published schedule, or a random order that the needs of the actions permit.
pipeline::Schedule some_schedule(std::mt19937 &random) {
    const int ranks = 1 + below(random, 4);
    const int micro_batches = 1 + below(random, 5);
    switch (below(random, 8)) {
    case 0:
        return pipeline::gpipe(ranks, micro_batches);
    case 1:
        return pipeline::one_f_one_b(ranks, micro_batches);
    case 2:
        return pipeline::interleaved(ranks, 1 + below(random, 2), micro_batches);
    case 3:
        return pipeline::zero_bubble(ranks, micro_batches);
    case 4:
        return pipeline::zb_v(ranks, micro_batches);
    default:
        pipeline::Schedule schedule = pipeline::random_schedule(random, {4, 2, 4});
        while (schedule.placement.size() > 1) // a program has one body for a stage
            schedule = pipeline::random_schedule(random, {4, 2, 4});
        take_micro_batches_in_order(schedule);
        return schedule;
    }
}

/// Some ranks run some of their actions in another order.
void disturb(pipeline::Schedule &schedule, std::mt19937 &random) {
    for (std::vector<pipeline::Action> &actions : schedule.actions)
        for (int n = below(random, 3); n > 0 && actions.size() > 1; --n)
            std::swap(actions[random() % actions.size()], actions[random() % actions.size()]);
}

/// Moves events of some ranks to other places of their lists, begins before their waits.
void disturb(Events &events, std::mt19937 &random) {
    for (Table &table : events.tables)
        for (int n = below(random, 4); n > 0 && table.events.size() > 1; --n) {
            auto at = table.events.begin() + below(random, static_cast<int>(table.events.size()));
            const bool back = random() % 2 == 0;
            for (int steps = 1 + below(random, 12); steps > 0; --steps) {
                if (back ? at == table.events.begin() : at + 1 == table.events.end())
                    break;
                const auto to = back ? at - 1 : at + 1;
                if (at->operation == to->operation && at->slot == to->slot)
                    break;
                std::iter_swap(at, to);
                at = to;
            }
        }
}

PipelineProgram some_program(const pipeline::Schedule &schedule, std::mt19937 &random) {
    return pipeline_program(schedule, {1 + below(random, 3), below(random, 3), true}, random);
}

/// Random interleavings agree with the proof, and the proof with itself without folding. Returns whether it accepts.
bool agrees(const Events &events, std::mt19937 &random) {
    const Fault fault = prove(events);
    EXPECT_EQ(prove_each_rank(events).kind, fault.kind) << fault.text;
    const Executed first = execute(events, random);
    EXPECT_EQ(first.hangs || first.is_wrong, static_cast<bool>(fault)) << fault.text;
    EXPECT_EQ(execute(events, random).hangs, first.hangs) << fault.text;
    if (const std::optional<Events> folded = fold(events); folded && !prove_each_rank(*folded)) {
        EXPECT_FALSE(fault) << fault.text;
    }
    return !fault;
}

} // namespace

TEST(RandomPipelines, are_accepted_if_and_only_if_they_finish) {
    std::mt19937 random(1); // NOLINT: the same in each run
    int accepted = 0;
    int rejected = 0;
    int folded = 0;
    for (int i = 0; i < 10000; ++i) {
        pipeline::Schedule schedule = some_schedule(random);
        if (i % 4 == 1)
            disturb(schedule, random);
        const PipelineProgram made = some_program(schedule, random);
        Events events = made.events();
        if (i % 4 == 0) {
            ASSERT_EQ(program::fault(made.program, made.mesh), "");
            ASSERT_EQ(prove(events).text, "") << pipeline::text(schedule);
        }
        if (i % 4 == 2)
            disturb(events, random); // all ranks of a stage alike
        if (i % 4 == 3) {
            events = apart(events);
            disturb(events, random);
        }
        folded += fold(events) ? 1 : 0;
        (agrees(events, random) ? accepted : rejected) += 1;
        ASSERT_FALSE(HasFailure()) << "in round " << i;
    }
    EXPECT_GT(accepted, 4000);
    EXPECT_GT(rejected, 2000);
    EXPECT_GT(folded, 7000);
}

TEST(RandomPipelines, with_a_planted_fault_are_rejected) {
    std::mt19937 random(2); // NOLINT: the same in each run
    std::vector<int> planted(planted_kinds, 0);
    std::vector<std::set<FaultKind>> found(planted_kinds);
    for (int i = 0; i < 10000; ++i) {
        Events events = apart(some_program(some_schedule(random), random).events());
        const int kind = i % planted_kinds;
        if (!plant(static_cast<Planted>(kind), events, random))
            continue;
        ++planted[static_cast<std::size_t>(kind)];
        const Fault fault = prove(events);
        ASSERT_TRUE(fault) << "of kind " << kind << " in round " << i;
        found[static_cast<std::size_t>(kind)].insert(fault.kind);
        const Executed executed = execute(events, random);
        ASSERT_TRUE(executed.hangs || executed.is_wrong) << fault.text;
    }
    EXPECT_GT(*std::ranges::min_element(planted), 200);
    const auto of = [&](Planted kind) { return found[static_cast<std::size_t>(kind)]; };
    using enum FaultKind;
    EXPECT_EQ(of(Planted::dropped),
              (std::set{unmatched_send, unmatched_receive, wrong_collective, missing_collective}));
    EXPECT_EQ(of(Planted::doubled),
              (std::set{unmatched_send, unmatched_receive, wrong_collective, missing_collective}));
    EXPECT_EQ(of(Planted::swapped), (std::set{wrong_micro_batch}));
    EXPECT_EQ(of(Planted::tag), (std::set{wrong_tag}));
    EXPECT_EQ(of(Planted::size), (std::set{wrong_size}));
    EXPECT_EQ(of(Planted::communicator), (std::set{wrong_communicator, wrong_collective, missing_collective}));
    EXPECT_EQ(of(Planted::order), (std::set{begun_twice, wrong_collective}));
    EXPECT_EQ(of(Planted::bytes), (std::set{wrong_collective}));
    EXPECT_EQ(of(Planted::no_wait), (std::set{begun_twice, left_open}));
    EXPECT_EQ(of(Planted::no_begin), (std::set{not_begun}));
}

TEST(Pipelines, of_every_maker_are_accepted) {
    std::mt19937 random(3); // NOLINT: the same in each run
    for (int ranks = 1; ranks <= 8; ++ranks)
        for (int micro_batches = 1; micro_batches <= 17; ++micro_batches)
            for (const pipeline::Schedule &schedule :
                 {pipeline::gpipe(ranks, micro_batches), pipeline::one_f_one_b(ranks, micro_batches),
                  pipeline::interleaved(ranks, 2, micro_batches), pipeline::interleaved(ranks, 3, micro_batches),
                  pipeline::zero_bubble(ranks, micro_batches), pipeline::zero_bubble_2(ranks, micro_batches),
                  pipeline::zb_v(ranks, micro_batches)}) {
                const PipelineProgram made = pipeline_program(schedule, {2, 2, true}, random);
                ASSERT_EQ(program::fault(made.program, made.mesh), "") << schedule.name;
                ASSERT_EQ(prove(made.events()).text, "") << schedule.name << ranks << " " << micro_batches;
            }
}

} // namespace planc::messages
