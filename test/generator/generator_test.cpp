#include "check_case.h"
#include "layout.h"

#include <gtest/gtest.h>

namespace planc::test {

namespace {

constexpr int cases = 100;

/// Compares so many cases, those that are refused not counted; returns how often each kind of collective occurred.
std::map<std::string, int> compare_cases(const NetworkOptions &options, int most_refused) {
    std::map<std::string, int> collectives;
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases + refused); ++seed) {
        const PlanFile file = random_file(seed, options);
        const CaseResult result = check_case(file, seed);
        EXPECT_EQ(result.difference, "") << "seed " << seed << "\n" << file.text_with_data();
        if (!result.difference.empty())
            break;
        refused += result.refused.empty() ? 0 : 1;
        for (const auto &[kind, count] : result.collectives)
            collectives[kind] += count;
    }
    EXPECT_LT(refused, most_refused);
    return collectives;
}

void expect_every_kind(std::map<std::string, int> collectives) {
    for (const char *kind :
         {"slice", "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "exchange", "transfer"})
        EXPECT_GT(collectives[kind], 0) << kind << " is seen in no case";
}

} // namespace

TEST(Generator, rank_programs_compute_what_one_rank_computes) {
    expect_every_kind(compare_cases({.normalised_parts = true, .pipelines = 0.3}, cases / 4));
}

/// More are refused: without edges gradients are zero, of which lars and lamb make something else.
TEST(Generator, on_graphs_too) {
    expect_every_kind(compare_cases(graph_options, cases / 3));
}

} // namespace planc::test
