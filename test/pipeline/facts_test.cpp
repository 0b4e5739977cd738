// The published bubbles, makespans and activations of every maker, for all sizes that a formula holds for.
#include "pipeline/check.h"
#include "pipeline/makers.h"
#include "pipeline/measure.h"
#include "pipeline/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace planc::pipeline {

namespace {

constexpr int most_ranks = 16;
constexpr int most_micro_batches = 64;

/// Measures with F = I = W = 1 and B = 2, after it expected that there is no fault.
Measure measured(const Schedule &schedule, const Durations &durations) {
    EXPECT_EQ(fault(schedule), "") << schedule.name << " " << schedule.ranks << " × " << schedule.micro_batches;
    return measure(schedule, durations);
}
Measure measured(const Schedule &schedule) {
    return measured(schedule, equal_durations(schedule.stages));
}

void expect_bubbles(const Schedule &schedule, double back_to_back, double with_barrier) {
    SCOPED_TRACE(schedule.name + " " + std::to_string(schedule.ranks) + " × " + std::to_string(schedule.micro_batches));
    const Measure found = measured(schedule);
    EXPECT_EQ(found.work, 3.0 * schedule.micro_batches * schedule.stages / schedule.ranks);
    EXPECT_EQ(found.bubble_back_to_back, back_to_back);
    EXPECT_EQ(found.bubble_with_barrier, with_barrier);
}

int most_alive(const Schedule &schedule) {
    const std::vector<int> alive = measured(schedule).alive;
    return *std::max_element(alive.begin(), alive.end());
}

/// Calls `test(ranks, micro_batches)` for all sizes.
template <class Test> void for_all_sizes(Test test) {
    for (int ranks = 1; ranks <= most_ranks; ++ranks)
        for (int micro_batches = 1; micro_batches <= most_micro_batches; ++micro_batches)
            test(ranks, micro_batches);
}

} // namespace

TEST(Facts, of_gpipe) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = gpipe(d, n);
        expect_bubbles(schedule, 3 * (d - 1), 3 * (d - 1));
        EXPECT_EQ(measured(schedule).alive, std::vector<int>(static_cast<std::size_t>(d), n));
    });
}

TEST(Facts, of_1f1b) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = one_f_one_b(d, n);
        expect_bubbles(schedule, 3 * (d - 1), 3 * (d - 1));
        std::vector<int> alive;
        for (int s = 0; s < d; ++s)
            alive.push_back(std::min(d - s, n));
        EXPECT_EQ(measured(schedule).alive, alive);
        // F = B = 1
        EXPECT_EQ(makespan(schedule, equal_durations(d, 1, 1, 0)), 2 * n + 2 * (d - 1));
    });
}

TEST(Facts, of_zb_h1) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = zero_bubble(d, n);
        const Measure found = measured(schedule);
        EXPECT_LE(*std::max_element(found.alive.begin(), found.alive.end()), std::min(d, n));
        if (n >= d) {
            expect_bubbles(schedule, d - 1, d - 1);
            EXPECT_EQ(found.alive, std::vector<int>(static_cast<std::size_t>(d), d));
        }
    });
}

/// On other durations than those that it was made for.
TEST(Facts, of_zb_h1_by_duration) {
    for (const auto &[f, i, w] :
         std::vector<std::array<double, 3>>{{2, 2, 1}, {1, 2, 1}, {3, 2, 2}, {10, 11, 9}, {1, 1, 2}}) {
        for (const auto &[d, n] : std::vector<std::pair<int, int>>{{2, 4}, {4, 8}, {8, 24}, {16, 64}}) {
            const Measure found = measured(zero_bubble(d, n), equal_durations(d, f, i, w));
            EXPECT_EQ(found.bubble_back_to_back, (d - 1) * (f + std::max(i - w, 0.0))) << d << " " << f << i << w;
            EXPECT_EQ(found.bubble_with_barrier, found.bubble_back_to_back);
        }
    }
}

TEST(Facts, of_zb_h2) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = zero_bubble_2(d, n);
        EXPECT_LE(most_alive(schedule), std::min(2 * d - 1, n));
        if (n >= 2 * d - 1) {
            expect_bubbles(schedule, 0, d - 1);
            EXPECT_EQ(most_alive(schedule), 2 * d - 1);
        }
    });
}

TEST(Facts, of_zb_h2_by_duration) {
    for (const auto &[f, i, w] :
         std::vector<std::array<double, 3>>{{2, 2, 1}, {3, 3, 2}, {10, 11, 9}, {1, 2, 1}, {1, 1, 2}, {4, 4, 3}}) {
        for (const auto &[d, n] : std::vector<std::pair<int, int>>{{4, 8}, {8, 16}, {8, 32}}) {
            const Measure found = measured(zero_bubble_2(d, n), equal_durations(d, f, i, w));
            EXPECT_EQ(found.bubble_back_to_back, (d - 1) * std::max(f + i - 2 * w, 0.0)) << d << " " << f << i << w;
        }
    }
}

TEST(Facts, of_zb_v) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = zb_v(d, n);
        EXPECT_LE(most_alive(schedule), 2 * std::min(d, n));
        if (n < 2 * d - 1)
            return;
        expect_bubbles(schedule, 0, d - 1);
        EXPECT_EQ(measured(schedule).alive, std::vector<int>(static_cast<std::size_t>(d), 2 * d));
        // The two chunks of a rank together are one stage of the others.
        EXPECT_EQ(measured(schedule, equal_durations(2 * d, 0.5, 0.5, 0.5)).bubble_with_barrier, (d - 1) / 2.0);
    });
}

TEST(Facts, of_interleaving) {
    for_all_sizes([](int d, int n) {
        for (const int v : {1, 2, 3, 4}) {
            const Schedule schedule = interleaved(d, v, n);
            const Measure found = measured(schedule);
            if (n % d != 0)
                continue;
            // In chunks, of which v are a stage of 1F1B.
            expect_bubbles(schedule, 3 * (d - 1), 3 * (d - 1));
            if (v > 1) {
                EXPECT_EQ(found.alive.front(), std::min(d * (v + 1) - 1, v * n)) << d << " " << v << " " << n;
            }
        }
    });
    EXPECT_EQ(measured(interleaved(4, 2, 16)).alive.front(), 11);
    EXPECT_EQ(measured(interleaved(4, 4, 16)).alive.front(), 19);
    EXPECT_EQ(measured(interleaved(8, 2, 16)).alive.front(), 23);
    // One chunk is 1F1B.
    EXPECT_EQ(interleaved(4, 1, 6).actions, one_f_one_b(4, 6).actions);
}

TEST(Facts, of_chimera) {
    for_all_sizes([](int d, int n) {
        if (d % 2 != 0)
            return;
        const Schedule schedule = chimera(d, n);
        const Durations equal = equal_durations(d, 1, 1, 0); // F = B = 1
        const Measure found = measured(schedule, equal);
        EXPECT_LE(*std::max_element(found.alive.begin(), found.alive.end()), d);
        for (int s = 0; s < d; ++s)
            EXPECT_LE(found.alive_by_stage[static_cast<std::size_t>(s)], std::min(d - s, d / 2));
        if (n % d == 0) {
            EXPECT_EQ(found.makespan, 2 * n + d - 2) << d << " " << n;
            EXPECT_EQ(found.work, 2 * n);
            EXPECT_EQ(found.bubble_back_to_back, d - 2);
        }
        if (n == d) {
            EXPECT_EQ(*std::min_element(found.alive.begin(), found.alive.end()), d / 2 + 1);
            EXPECT_EQ(*std::max_element(found.alive.begin(), found.alive.end()), d == 2 ? 2 : d);
        }
    });
    const auto steps = [](int d, int n) { return makespan(chimera(d, n), equal_durations(d, 1, 1, 0)); };
    EXPECT_EQ(steps(4, 8), 18);
    EXPECT_EQ(steps(4, 16), 34);
    EXPECT_EQ(steps(8, 16), 38);
    EXPECT_EQ(steps(8, 32), 70);
}

TEST(Facts, of_pipedream) {
    for_all_sizes([](int d, int n) {
        const Schedule schedule = pipedream(d, n);
        expect_bubbles(schedule, 3 * (d - 1), 3 * (d - 1)); // once for the whole run, however long
        std::vector<int> versions;
        for (int s = 0; s < d; ++s)
            versions.push_back(std::min(d - s, n));
        if (n >= d + d - 1) {
            EXPECT_EQ(kept_versions(schedule), versions);
        }
        for (const int accumulated : {std::max(1, d - 1), d, 2 * d}) {
            const Schedule two = pipedream_2bw(d, n, accumulated);
            EXPECT_EQ(two.actions, schedule.actions);
            EXPECT_EQ(fault(two), "");
            const std::vector<int> kept = kept_versions(two);
            EXPECT_LE(*std::max_element(kept.begin(), kept.end()), 2);
            if (n > 2 * accumulated) {
                EXPECT_EQ(kept, std::vector<int>(static_cast<std::size_t>(d), 2))
                    << d << " " << n << " " << accumulated;
            }
        }
        EXPECT_EQ(kept_versions(one_f_one_b(d, n)), std::vector<int>(static_cast<std::size_t>(d), 1));
    });
}

/// design/4-cost-model.md: the share of the bubble in a step at F = B (= W for ZB-H1).
TEST(Facts, of_the_closed_forms) {
    for_all_sizes([](int d, int n) {
        const auto share = [&](const Schedule &schedule, double weight) {
            const Measure found = measured(schedule, equal_durations(schedule.stages, 1, 1, weight));
            return found.bubble_with_barrier / found.makespan;
        };
        EXPECT_EQ(share(gpipe(d, n), 0), (d - 1.0) / (n + d - 1.0));
        EXPECT_EQ(share(one_f_one_b(d, n), 0), (d - 1.0) / (n + d - 1.0));
        if (n >= d) {
            EXPECT_EQ(share(zero_bubble(d, n), 1), (d - 1.0) / (3.0 * n + d - 1.0));
        }
        if (n % d != 0)
            return;
        for (const int v : {2, 3, 4})
            EXPECT_EQ(share(interleaved(d, v, n), 0), (d - 1.0) / (v * n + d - 1.0)) << d << " " << v << " " << n;
        if (d % 2 == 0) {
            EXPECT_EQ(share(chimera(d, n), 0), (d - 2.0) / (2.0 * n + d - 2.0));
        }
    });
}

TEST(Facts, of_impossible_combinations) {
    const auto refused = [](auto make) -> std::string {
        try {
            static_cast<void>(make());
        } catch (const std::invalid_argument &error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refused([] { return chimera(3, 4); }), "Chimera needs an even number of ranks, not 3");
    EXPECT_EQ(refused([] { return pipedream_2bw(4, 8, 2); }),
              "PipeDream-2BW on 4 ranks accumulates at least 3 micro-batches before an update, not 2");
    EXPECT_EQ(refused([] { return gpipe(0, 4); }),
              "a pipeline schedule has at least one rank, one micro-batch and one stage a rank");
    EXPECT_EQ(refused([] { return gpipe(1 << 20, 1 << 20); }),
              "a pipeline schedule has at most 2^28 stages times micro-batches");
}

/// The last stage runs both passes of a micro-batch one after the other; alone in flight, none is changed between them.
TEST(Weights, are_copied_where_an_update_comes_between_both_passes) {
    EXPECT_EQ(stages_that_stash(pipedream(4, 8)), (std::vector{true, true, true, false}));
    EXPECT_EQ(stages_that_stash(pipedream(3, 1)), (std::vector{false, false, false}));
    EXPECT_EQ(stages_that_stash(pipedream_2bw(3, 6, 2)), (std::vector{false, false, false}));
    EXPECT_EQ(updates_of_step(updates_of(pipedream_2bw(3, 7, 3)), 7), 3);
}

} // namespace planc::pipeline
