#include "check_case.h"
#include "layout.h"

#include <gtest/gtest.h>

namespace planc::test {

TEST(Generator, rank_programs_compute_what_one_rank_computes) {
    constexpr int cases = 100;
    std::map<std::string, int> collectives;
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases + refused); ++seed) {
        const PlanFile file = random_file(seed, {.normalised_parts = true, .pipelines = 0.3});
        const CaseResult result = check_case(file, seed);
        ASSERT_EQ(result.difference, "") << "seed " << seed << "\n" << file.text();
        refused += result.refused.empty() ? 0 : 1;
        for (const auto &[kind, count] : result.collectives)
            collectives[kind] += count;
    }
    EXPECT_LT(refused, cases / 5);
    for (const char *kind :
         {"slice", "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "exchange", "transfer"})
        EXPECT_GT(collectives[kind], 0) << kind << " is seen in no case";
}

} // namespace planc::test
