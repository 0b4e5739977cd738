#include "data/split.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace planrt {
namespace {

DataSet by_shares(double train, double test) {
    return {"d", DataFormat::csv, "", "", SplitKind::shares, train, test, 0, 0, 0, false};
}

DataSet by_counts(double train, double test) {
    return {"d", DataFormat::csv, "", "", SplitKind::counts, train, test, 0, 0, 0, false};
}

TEST(Split, SharesAndCountsAreDisjoint) {
    for (const DataSet &set : {by_shares(0.8, 0.2), by_counts(80, 20)}) {
        const Split split = split_samples(set, 1, 100, {});
        ASSERT_EQ(split.train.size(), 80U);
        ASSERT_EQ(split.test.size(), 20U);
        std::vector<std::int64_t> all = split.train;
        all.insert(all.end(), split.test.begin(), split.test.end());
        std::ranges::sort(all);
        for (std::int64_t i = 0; i < 100; ++i)
            EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
    }
}

TEST(Split, SharesThatBothRoundUpShareTheLastSample) {
    const Split split = split_samples(by_shares(0.5, 0.5), 1, 7, {});
    EXPECT_EQ(split.train.size() + split.test.size(), 7U);
}

TEST(Split, TheSeedDecides) {
    EXPECT_EQ(split_samples(by_shares(0.5, 0.5), 1, 50, {}).train, split_samples(by_shares(0.5, 0.5), 1, 50, {}).train);
    EXPECT_NE(split_samples(by_shares(0.5, 0.5), 1, 50, {}).train, split_samples(by_shares(0.5, 0.5), 2, 50, {}).train);
}

TEST(Split, ByColumn) {
    DataSet set = by_counts(0, 1);
    set.split = SplitKind::column;
    const std::vector<double> column = {0, 1, 2, 0, 1};
    const Split split = split_samples(set, 1, 5, column);
    EXPECT_EQ(split.train, (std::vector<std::int64_t>{0, 3}));
    EXPECT_EQ(split.test, (std::vector<std::int64_t>{1, 4}));
}

TEST(Split, MoreThanThereAre) {
    EXPECT_EQ(failure_of([] { static_cast<void>(split_samples(by_counts(9, 2), 1, 10, {})); }),
              "data d: the split wants 9 + 2 samples, but there are 10");
    EXPECT_EQ(failure_of([] { static_cast<void>(split_samples(by_shares(1.5, 0), 1, 10, {})); }),
              "data d: the split wants 15 + 0 samples, but there are 10");
}

TEST(Shuffle, EpochsArePermutationsOfTheirOwn) {
    std::vector<std::int64_t> base(64);
    std::iota(base.begin(), base.end(), 100);
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    std::vector<std::int64_t> again;
    shuffle_epoch(base, 1, 0, first);
    shuffle_epoch(base, 1, 1, second);
    shuffle_epoch(base, 1, 0, again);
    EXPECT_EQ(first, again);
    EXPECT_NE(first, second);
    std::ranges::sort(second);
    EXPECT_EQ(second, base);
}

} // namespace
} // namespace planrt
