#include "random_case.h"

#include <gtest/gtest.h>

namespace planc::test {

TEST(Generator, rank_programs_compute_what_one_rank_computes) {
    std::map<std::string, int> collectives;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const CaseResult result = check_case(seed);
        ASSERT_EQ(result.difference, "");
        for (const auto &[kind, count] : result.collectives)
            collectives[kind] += count;
    }
    for (const char *kind : {"slice", "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "exchange"})
        EXPECT_GT(collectives[kind], 0) << kind << " is seen in no case";
}

} // namespace planc::test
