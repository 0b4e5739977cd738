// The model of simulate.h on programs of a few actions, in whole seconds.
#include "timeline/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace planc::timeline {

namespace {

constexpr Action progress{ActionKind::progress, 0};

Action compute(int kernel) {
    return {ActionKind::compute, kernel};
}
Action start(int collective) {
    return {ActionKind::start, collective};
}
Action wait(int collective) {
    return {ActionKind::wait, collective};
}

Kernel kernel(const std::vector<double> &seconds) {
    Kernel result{"kernel", "layer", "forward", {}};
    for (double each : seconds)
        result.seconds.emplace_back(each);
    return result;
}

/// Among all ranks.
Collective collective(int ranks, int rounds, double seconds, const std::string &layer = "layer") {
    Collective result{"all-reduce", layer, "weight gradient", {{{}, {}, rounds, Seconds(seconds)}}, {}};
    for (int rank = 0; rank < ranks; ++rank) {
        result.groups[0].members.push_back(rank);
        result.groups[0].senders.push_back(rank);
        result.group_of.push_back(0);
    }
    return result;
}

std::vector<RankClass> ranks(int count) {
    std::vector<RankClass> result;
    for (int rank = 0; rank < count; ++rank)
        result.push_back({rank, 1});
    return result;
}

std::string text(const std::vector<Event> &events) {
    std::string result;
    for (const Event &event : events) {
        static constexpr const char *kinds[] = {"compute", "work", "wait", "transfer"};
        result += (result.empty() ? "" : ", ") + std::string(kinds[static_cast<int>(event.kind)]) + " " +
                  std::to_string(event.index) + " from " + std::to_string(std::lround(event.begin.value)) + " to " +
                  std::to_string(std::lround(event.end.value));
    }
    return result;
}

} // namespace

/// Three pieces: the second round begins only when the rank waits for the first one.
TEST(Simulate, a_gather_in_pieces_goes_on_while_its_pieces_are_used) {
    Program program{ranks(2),
                    {kernel({2, 2}), kernel({5, 5})},
                    {collective(2, 2, 6)},
                    {{start(0),
                      compute(1),
                      progress,
                      compute(0),
                      {ActionKind::wait, 0, -1, 1},
                      compute(0),
                      {ActionKind::wait, 0, -1, 2},
                      compute(0)}}};
    program.collectives[0].staged = true;
    const Timeline timeline = simulate(program);
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 0 to 3, transfer 0 from 7 to 10");
    EXPECT_EQ(text(timeline.ranks[0].compute), "compute 1 from 0 to 5, compute 0 from 5 to 7, compute 0 from 7 to 9, "
                                               "wait 0 from 9 to 10, compute 0 from 10 to 12");
}

TEST(Simulate, a_collective_begins_when_all_have_started_it) {
    const Program program{ranks(2),
                          {kernel({3, 5}), kernel({1, 1})},
                          {collective(2, 1, 2)},
                          {{compute(0), start(0), compute(1), wait(0)}}};
    const Timeline timeline = simulate(program);
    EXPECT_EQ(text(timeline.ranks[0].compute), "compute 0 from 0 to 3, compute 1 from 3 to 4, wait 0 from 4 to 7");
    EXPECT_EQ(text(timeline.ranks[1].compute), "compute 0 from 0 to 5, compute 1 from 5 to 6, wait 0 from 6 to 7");
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 5 to 7");
    EXPECT_EQ(timeline.makespan, Seconds(7));
    EXPECT_EQ(timeline.last, 1);
    EXPECT_EQ(timeline.ranks[0].exposed, Seconds(2));
    EXPECT_EQ(timeline.ranks[0].idle, Seconds(1));
    EXPECT_EQ(timeline.ranks[1].exposed, Seconds(1));
    EXPECT_EQ(timeline.ranks[1].idle, Seconds(0));
    EXPECT_EQ(waiting_by_layer(program, timeline.ranks[0]).at("layer"), Seconds(3));
}

// Of 5 s the processors work 2 and 3 s: they compute beside the rest alone.
TEST(Simulate, what_processors_do_of_a_collective_is_beside_nothing) {
    Collective reduced = collective(2, 1, 2);
    reduced.work = {Seconds(2), Seconds(3)};
    const Program program{
        ranks(2), {kernel({3, 3}), kernel({1, 1})}, {reduced}, {{compute(0), start(0), compute(1), wait(0)}}};
    const Timeline timeline = simulate(program);
    EXPECT_EQ(text(timeline.ranks[0].compute),
              "compute 0 from 0 to 3, work 0 from 3 to 5, compute 1 from 5 to 6, wait 0 from 6 to 8");
    EXPECT_EQ(text(timeline.ranks[1].compute),
              "compute 0 from 0 to 3, work 0 from 3 to 6, compute 1 from 6 to 7, wait 0 from 7 to 8");
    EXPECT_EQ(text(timeline.ranks[1].network), "transfer 0 from 6 to 8");
    EXPECT_EQ(timeline.ranks[1].computing, Seconds(4));
    EXPECT_EQ(timeline.ranks[1].communicating, Seconds(5));
    EXPECT_EQ(timeline.ranks[1].exposed, Seconds(4));
    EXPECT_EQ(timeline.ranks[1].idle, Seconds(0));
    EXPECT_EQ(waiting_by_layer(program, timeline.ranks[1]).at("layer"), Seconds(4));
    EXPECT_EQ(simulate(without_overlap(program)).makespan, Seconds(9));
}

// Two rounds of 1 s beside a kernel of 4 s: the second begins when MPI is called again.
TEST(Simulate, rounds_go_on_where_mpi_is_called) {
    Program program{
        ranks(2), {kernel({4, 4}), kernel({2, 2})}, {collective(2, 2, 2)}, {{start(0), compute(0), wait(0)}}};
    EXPECT_EQ(text(simulate(program).ranks[0].network), "transfer 0 from 0 to 1, transfer 0 from 4 to 5");
    EXPECT_EQ(simulate(program).makespan, Seconds(5));
    program.actions = {{start(0), compute(1), progress, compute(1), wait(0)}};
    EXPECT_EQ(text(simulate(program).ranks[0].network), "transfer 0 from 0 to 1, transfer 0 from 2 to 3");
    EXPECT_EQ(simulate(program).makespan, Seconds(4));
    // One that comes too early finds the round still under way.
    program.kernels = {kernel({0.5, 0.5}), kernel({3.5, 3.5})};
    program.actions = {{start(0), compute(0), progress, compute(1), wait(0)}};
    EXPECT_EQ(simulate(program).makespan, Seconds(5));
}

// Rounds of 1 s share the links: both take 2 s. While a rank waits, others of its collectives go on too, and no round
// needs a call of its own.
TEST(Simulate, rounds_share_links) {
    const Program program{ranks(2),
                          {kernel({1, 1})},
                          {collective(2, 3, 3), collective(2, 2, 2)},
                          {{start(0), start(1), wait(1), compute(0), wait(0)}}};
    const Timeline timeline = simulate(program);
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 0 to 5, transfer 1 from 0 to 4");
    EXPECT_EQ(text(timeline.ranks[0].compute), "wait 1 from 0 to 4, compute 0 from 4 to 5");
    EXPECT_EQ(timeline.ranks[0].communicating, Seconds(5));
    EXPECT_EQ(timeline.ranks[0].exposed, Seconds(4));
}

// What begins later slows down what is on the links: 1 s alone, then both at half the rate.
// Of 3 s each 1 s is latency: both messages are on the links from 1 on, and share them until 5.
TEST(Simulate, latencies_pass_side_by_side) {
    Program program{ranks(2),
                    {kernel({1, 1})},
                    {collective(2, 1, 3), collective(2, 1, 3)},
                    {{start(0), start(1), wait(0), wait(1)}}};
    EXPECT_EQ(simulate(program).makespan, Seconds(6));
    for (Collective &each : program.collectives)
        each.groups[0].latency = Seconds(1);
    const Timeline timeline = simulate(program);
    EXPECT_EQ(timeline.makespan, Seconds(5));
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 0 to 5, transfer 1 from 0 to 5");
    EXPECT_EQ(timeline.ranks[0].communicating, Seconds(6));
    EXPECT_EQ(simulate(without_overlap(program)).makespan, Seconds(6));
}

TEST(Simulate, who_comes_later_takes_a_share) {
    const Program program{ranks(2),
                          {kernel({1, 1})},
                          {collective(2, 1, 3), collective(2, 1, 1)},
                          {{start(0), compute(0), start(1), wait(1), wait(0)}}};
    EXPECT_EQ(text(simulate(program).ranks[0].network), "transfer 0 from 0 to 4, transfer 1 from 1 to 3");
}

// Halos in both directions: each rank sends in one collective and receives in the other.
TEST(Simulate, links_are_busy_where_a_rank_sends) {
    Program program{ranks(2), {}, {collective(2, 1, 2), collective(2, 1, 3)}, {{start(0), start(1), wait(0), wait(1)}}};
    EXPECT_EQ(simulate(program).makespan, Seconds(5));
    program.collectives[0].groups[0].senders = {0};
    program.collectives[1].groups[0].senders = {1};
    EXPECT_EQ(simulate(program).makespan, Seconds(3));
}

// A pipeline: activations go one way while gradients come the other way.
TEST(Simulate, directions_of_a_link_are_not_shared) {
    Program program{ranks(2), {}, {collective(2, 1, 2), collective(2, 1, 3)}, {{start(0), start(1), wait(0), wait(1)}}};
    Group &there = program.collectives[0].groups[0];
    Group &back = program.collectives[1].groups[0];
    there.senders = back.receivers = {0};
    there.receivers = back.senders = {1};
    EXPECT_EQ(simulate(program).makespan, Seconds(3));
    back.receivers = {0, 1}; // what arrives at rank 1 comes through the link that the first uses
    EXPECT_EQ(simulate(program).makespan, Seconds(5));
}

TEST(Simulate, what_leaves_a_node_uses_other_links) {
    Program program{ranks(2), {}, {collective(2, 1, 2), collective(2, 1, 3)}, {{start(0), start(1), wait(0), wait(1)}}};
    Group &outside = program.collectives[1].groups[0];
    outside.leaves = true;
    EXPECT_EQ(simulate(program).makespan, Seconds(5)); // inside too
    outside.stays_inside = false;
    EXPECT_EQ(simulate(program).makespan, Seconds(3));
}

// Rank 0 shares its links, rank 1 has them for itself: their collective is as slow as rank 0's.
TEST(Simulate, a_round_is_as_slow_as_the_busiest_links) {
    Program program{ranks(2), {}, {collective(2, 1, 2), collective(2, 1, 2)}, {{start(0), start(1), wait(1), wait(0)}}};
    program.collectives[0].groups = {{{0}, {0}, 1, Seconds(2)}, {{1}, {}, 1, Seconds(0)}};
    program.collectives[0].group_of = {0, 1};
    const Timeline timeline = simulate(program);
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 0 to 4, transfer 1 from 0 to 4");
    EXPECT_EQ(text(timeline.ranks[1].network), "transfer 1 from 0 to 4");
}

TEST(Simulate, who_is_through_leaves_its_share_to_the_others) {
    const Program alike{ranks(2),
                        {},
                        {collective(2, 1, 1), collective(2, 1, 2), collective(2, 1, 3)},
                        {{start(0), start(1), start(2), wait(0), wait(1), wait(2)}}};
    EXPECT_EQ(text(simulate(alike).ranks[0].network),
              "transfer 0 from 0 to 3, transfer 1 from 0 to 5, transfer 2 from 0 to 6");

    // The first is as slow as the rank where the third keeps the links busy, also when the second is through.
    Program apart{ranks(2),
                  {},
                  {collective(2, 1, 3), collective(2, 1, 1), collective(2, 1, 5)},
                  {{start(0), start(1), start(2), wait(0), wait(1), wait(2)}}};
    apart.collectives[1].groups = {{{0}, {0}, 1, Seconds(1)}, {{1}, {}, 1, Seconds(0)}};
    apart.collectives[2].groups = {{{0}, {}, 1, Seconds(0)}, {{1}, {1}, 1, Seconds(5)}};
    apart.collectives[1].group_of = apart.collectives[2].group_of = {0, 1};
    const Timeline timeline = simulate(apart);
    EXPECT_EQ(text(timeline.ranks[0].network), "transfer 0 from 0 to 6, transfer 1 from 0 to 2");
    EXPECT_EQ(text(timeline.ranks[1].network), "transfer 0 from 0 to 6, transfer 2 from 0 to 8");
}

// Groups {0, 1} and {2}: what does not concern a rank does not hold it up.
TEST(Simulate, groups_are_independent) {
    Program program{ranks(3), {kernel({1, 4, 1})}, {collective(3, 1, 2)}, {{compute(0), start(0), wait(0)}}};
    program.collectives[0].groups = {{{0, 1}, {0, 1}, 1, Seconds(2)}, {{2}, {2}, 1, Seconds(1)}};
    program.collectives[0].group_of = {0, 0, 1};
    const Timeline timeline = simulate(program);
    EXPECT_EQ(timeline.ranks[0].compute.back().end, Seconds(6));
    EXPECT_EQ(timeline.ranks[2].compute.back().end, Seconds(2));
}

TEST(Simulate, without_overlap_everything_adds_up) {
    const Program program{ranks(2),
                          {kernel({3, 3}), kernel({1, 1})},
                          {collective(2, 4, 2), collective(2, 1, 5)},
                          {{compute(0), start(0), progress, start(1), compute(1), progress, wait(1), wait(0)}}};
    EXPECT_EQ(simulate(without_overlap(program)).makespan, Seconds(11));
}

// Random programs of ranks that differ: what a rank does adds up to the step, what its links carry to the collectives.
TEST(Simulate, nothing_is_lost) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const auto draw = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
        const int count = 1 + draw(4);
        Program program{ranks(count), {}, {}, {{}}};
        std::vector<int> under_way;
        double carried = 0;
        std::vector<double> worked(static_cast<std::size_t>(count));
        for (int i = 0; i < 30; ++i) {
            const int what = draw(4);
            if (what == 0) {
                const int seconds = 1 + draw(9);
                carried += seconds;
                under_way.push_back(static_cast<int>(program.collectives.size()));
                program.actions.front().push_back(start(under_way.back()));
                program.collectives.push_back(collective(count, 1 + draw(5), seconds));
                for (int rank = 0; rank < count && i % 2 == 0; ++rank) {
                    program.collectives.back().work.emplace_back(draw(5));
                    worked[rank] += program.collectives.back().work[rank].value;
                }
            } else if (what == 1 && !under_way.empty()) {
                const auto which = under_way.begin() + draw(static_cast<int>(under_way.size()));
                program.actions.front().push_back(wait(*which));
                under_way.erase(which);
            } else if (what == 2) {
                program.actions.front().push_back(progress);
            } else {
                std::vector<double> seconds;
                for (int rank = 0; rank < count; ++rank)
                    seconds.push_back(draw(10));
                program.actions.front().push_back(compute(static_cast<int>(program.kernels.size())));
                program.kernels.push_back(kernel(seconds));
            }
        }
        for (int collective : under_way)
            program.actions.front().push_back(wait(collective));
        const Timeline timeline = simulate(program);
        for (int rank = 0; rank < count; ++rank) {
            const RankTime &time = timeline.ranks[rank];
            double computing = 0;
            for (const Kernel &each : program.kernels)
                computing += each.seconds[rank].value;
            EXPECT_NEAR(time.computing.value, computing, 1e-9) << "seed " << seed;
            EXPECT_NEAR(time.communicating.value, carried + worked[rank], 1e-9) << "seed " << seed;
            EXPECT_GE(timeline.makespan.value, std::max(carried, worked[rank]) - 1e-9); // CostTable::carried()
            EXPECT_NEAR((time.computing + time.exposed + time.idle).value, timeline.makespan.value, 1e-9);
            EXPECT_GE(time.idle.value, -1e-9) << "seed " << seed;
            for (std::size_t i = 1; i < time.compute.size(); ++i)
                EXPECT_EQ(time.compute[i].begin, time.compute[i - 1].end) << "seed " << seed;
        }
    }
}

} // namespace planc::timeline
