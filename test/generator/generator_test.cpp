#include "random_case.h"

#include <gtest/gtest.h>

namespace planc::test {

TEST(Generator, rank_programs_compute_what_one_rank_computes) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed)
        ASSERT_EQ(check_case(seed), "");
}

} // namespace planc::test
