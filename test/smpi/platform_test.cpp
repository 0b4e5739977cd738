// The platform of a machine: its links, and which of them a message takes.
#include "smpi/platform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

using planc::cost::Machine;
using planc::smpi::platform;
using planc::support::Seconds;

namespace {

std::size_t count(const std::string &text, const std::string &what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

bool contains(const std::string &text, const std::string &what) {
    return text.find(what) != std::string::npos;
}

/// Nodes of 2 ranks, pairs of nodes, up to 8 pairs with two links each.
Machine hierarchy() {
    Machine machine;
    machine.levels = {{2, {Seconds(1e-6), 4e9}}, {2, {Seconds(2e-6), 2e9}}, {8, {Seconds(4e-6), 1e9}}};
    machine.levels[2].link.count = 2;
    return machine;
}

} // namespace

TEST(Platform, StarHalvesLatencyBetweenUpAndDown) {
    Machine machine;
    machine.levels = {{100, {Seconds(1e-6), 25e9}}};
    const std::string text = platform(machine, 12);
    EXPECT_TRUE(contains(text, "radical=\"0-11\" speed=\"1Gf\" bw=\"25000000000Bps\" lat=\"4.9999999999999998e-07s\" "
                               "sharing_policy=\"SPLITDUPLEX\"/>"));
    EXPECT_EQ(planc::smpi::platform_words(machine), "a star");
    EXPECT_EQ(planc::smpi::unsupported(machine, 12), "");
}

TEST(Platform, TorusCountsItsLastDimensionFirst) {
    Machine machine;
    machine.levels = {{0, {Seconds(1e-6), 1e9, {8, 4, 2}}}};
    EXPECT_TRUE(contains(platform(machine, 16), "radical=\"0-63\""));
    EXPECT_TRUE(contains(platform(machine, 16), "topology=\"TORUS\" topo_parameters=\"2,4,8\""));
    EXPECT_EQ(planc::smpi::platform_words(machine), "a torus of 8 x 4 x 2");
    EXPECT_EQ(planc::smpi::unsupported(machine, 64), "");
    EXPECT_EQ(planc::smpi::unsupported(machine, 65), "the torus has 64 units, fewer than ranks");
}

TEST(Platform, RanksOfANodeTalkOverLinksOfTheirOwn) {
    const std::string text = platform(hierarchy(), 8);
    EXPECT_TRUE(contains(text, "<route src=\"rank2\" dst=\"rank3\" symmetrical=\"NO\"><link_ctn id=\"rank2_up\"/>"
                               "<link_ctn id=\"rank3_down\"/></route>"));
    EXPECT_TRUE(contains(text, "<link id=\"rank2_up\" bandwidth=\"4000000000Bps\" "
                               "latency=\"4.9999999999999998e-07s\" sharing_policy=\"SHARED\"/>"));
    EXPECT_FALSE(contains(text, "<route src=\"rank1\" dst=\"rank2\"")); // of another node
    EXPECT_EQ(count(text, "<host "), 8U);
    EXPECT_EQ(planc::smpi::platform_words(hierarchy()), "3 levels");
}

TEST(Platform, WhatLeavesAUnitTakesItsLinksAndTheLatencyOfTheOutermostLevel) {
    const std::string text = platform(hierarchy(), 8);
    // Between nodes of a pair 2 us, half of it up; between pairs 1 us more on each side.
    EXPECT_TRUE(contains(text,
                         "<link id=\"machine_0_0_up\" bandwidth=\"2000000000Bps\" latency=\"9.9999999999999995e-07s\" "
                         "sharing_policy=\"SHARED\"/>"));
    EXPECT_TRUE(contains(text,
                         "<link id=\"machine_0_up\" bandwidth=\"2000000000Bps\" latency=\"9.9999999999999995e-07s\" "
                         "sharing_policy=\"SHARED\"/>"));
    // Both links of a pair together, of which each message takes one.
    EXPECT_TRUE(contains(text, "<link id=\"machine_0_one\" bandwidth=\"1000000000Bps\" latency=\"0s\" "
                               "sharing_policy=\"FATPIPE\"/>"));
    EXPECT_TRUE(contains(text, "<zoneRoute src=\"machine_0\" dst=\"machine_middle\" gw_src=\"machine_0_gateway\" "
                               "gw_dst=\"machine_gateway\" symmetrical=\"NO\"><link_ctn id=\"machine_0_one\"/>"
                               "<link_ctn id=\"machine_0_up\"/></zoneRoute>"));
}

TEST(Platform, HasOnlyTheUnitsThatAreTaken) {
    EXPECT_EQ(count(platform(hierarchy(), 2), "<zone "), 2U); // the world and one node
    EXPECT_EQ(count(platform(hierarchy(), 5), "<host "), 5U);
    EXPECT_EQ(planc::smpi::host_file(3), "rank0\nrank1\nrank2\n");
}

TEST(Platform, SaysWhatItCannot) {
    Machine machine = hierarchy();
    EXPECT_EQ(planc::smpi::unsupported(machine, 8), "");
    machine.levels[2].link.latency = Seconds(1e-6);
    EXPECT_EQ(planc::smpi::unsupported(machine, 8),
              "an outer level with a smaller latency than the one inside it cannot be simulated");
    machine = hierarchy();
    machine.levels[1].link.shape = {2, 2};
    EXPECT_EQ(planc::smpi::unsupported(machine, 8), "a torus or mesh within a hierarchy cannot be simulated");
}
