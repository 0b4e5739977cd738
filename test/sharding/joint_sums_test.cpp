// Which small sums travel in one call.
#include "sharding/joint_sums.h"

#include "sharding/graphs.h"

#include <gtest/gtest.h>

namespace planc::sharding {
namespace {

using graphs::Builder;

/// Sums over the batch of a layer's [batch, channel], and what each is used for.
struct Sums {
    Builder builder;
    LayerId layer = builder.layer("norm");
    ValueId x;
    ValueId first;

    explicit Sums(std::int64_t channels = 6)
        : x(builder.value("x", ValueKind::free, layer, {{"batch", 8}, {"channel", channels}})), first(sum("first")) {}

    ValueId sum(const std::string &name, Phase phase = Phase::input_gradient, const std::string &kept = "channel") {
        return builder.operation({name, layer, phase, Kernel::reduction, true}, {builder.plain(x)}, {kept}, name);
    }
    ValueId use(ValueId value) {
        return builder.operation({"use", layer, Phase::input_gradient}, {builder.plain(value)}, {"channel"}, "used");
    }
    [[nodiscard]] std::vector<Bucket> calls() const {
        const Mesh mesh{{4}};
        const LayerStrategies layers{{{"batch"}, {}}};
        return joint_sums(builder.graph, lay_out(builder.graph, mesh, layers), mesh);
    }
};

TEST(JointSums, OfOneLayerBeforeTheyAreUsed) {
    Sums sums;
    const ValueId second = sums.sum("second");
    sums.use(sums.first);
    sums.use(second);
    EXPECT_EQ(companions(sums.builder.graph)[second], sums.first);
    const std::vector<Bucket> calls = sums.calls();
    ASSERT_EQ(calls.size(), 1U);
    ASSERT_EQ(calls[0].members.size(), 2U);
    EXPECT_EQ(calls[0].members[0].value, sums.first);
    EXPECT_EQ(calls[0].members[1].value, second);
    EXPECT_EQ(calls[0].axes, std::vector<int>{0});
    EXPECT_EQ(calls[0].bytes, 2 * 6 * 4);
}

TEST(JointSums, BothGradientsAreOnePhase) {
    Sums sums;
    const ValueId second = sums.sum("second", Phase::weight_gradient);
    sums.use(sums.first);
    sums.use(second);
    EXPECT_EQ(sums.calls().size(), 1U);
}

TEST(JointSums, NotOfWhatIsNeededForTheOther) {
    Sums sums;
    sums.use(sums.first);
    const ValueId second = sums.sum("second");
    sums.use(second);
    EXPECT_EQ(companions(sums.builder.graph)[second], ValueId());
    EXPECT_TRUE(sums.calls().empty());
}

TEST(JointSums, NotOverOtherLoops) {
    Sums sums;
    const ValueId second = sums.sum("second", Phase::input_gradient, "batch");
    sums.use(sums.first);
    EXPECT_EQ(companions(sums.builder.graph)[second], ValueId());
}

TEST(JointSums, NotOfForwardAndBackward) {
    Sums sums;
    const ValueId second = sums.sum("second", Phase::forward);
    sums.use(sums.first);
    sums.use(second);
    EXPECT_TRUE(sums.calls().empty());
}

TEST(JointSums, NotOfWhatIsLarge) {
    Sums sums(largest_joint_bytes / 4 + 1);
    const ValueId second = sums.sum("second");
    sums.use(sums.first);
    sums.use(second);
    EXPECT_TRUE(sums.calls().empty());
}

} // namespace
} // namespace planc::sharding
