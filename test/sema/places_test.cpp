// Machines and meshes (M, H).
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

TEST(Places, Skylake) {
    const Analyzed analyzed = analyze_file(PLANC_SOURCE_DIR "/stdlib/machines/skylake.plan");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Machine &machine = analyzed.program->machines.at(0);
    EXPECT_EQ(machine.name, "skylake");
    ASSERT_EQ(machine.levels.size(), 1);
    EXPECT_EQ(machine.levels[0].units, 1000);
    EXPECT_DOUBLE_EQ(machine.flops_per_second, 8.96e12);
    EXPECT_DOUBLE_EQ(machine.memory_bytes_per_second, 128e9);
    EXPECT_DOUBLE_EQ(machine.memory_bytes, 256. * 1024 * 1024 * 1024);
    EXPECT_EQ(machine.gemm_block, (std::vector<std::int64_t>{480, 3072, 384}));
    EXPECT_DOUBLE_EQ(machine.levels.back().latency.value, 0.5e-6);
    EXPECT_DOUBLE_EQ(machine.levels.back().bytes_per_second, 25e9); // 200 Gbit/s
    ASSERT_EQ(machine.allreduce.size(), 1);
    EXPECT_EQ(machine.allreduce[0].algorithm, "bucket");
}

TEST(Places, TorusAndCluster) {
    const Analyzed analyzed = analyze_text(R"(
machine torus {
    nodes   = 1024
    node    = processor(peak = 1 Tflop/s, memory_bandwidth = 100 GB/s, reduction = 10 Gflop/s)
    network = torus(32, 32, latency = 500 ns, bandwidth = 25 GB/s)
}
machine cluster {
    nodes = 16; ranks_per_node = 8
    node    = processor(peak = 2 * 500 Gflop/s, memory_bandwidth = 100 GB/s)
    inside  = star(latency = 0.2 us, bandwidth = 50 GB/s)
    network = star(latency = 2 us, bandwidth = 100 Gbit/s, links = 2)
    allreduce = [recursive_doubling, ring(above = 64 KiB)]
}
mesh grid on cluster = [rows: 4 * 4, cols]
mesh any = auto
)");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Machine &torus = analyzed.program->machines.at(0);
    EXPECT_EQ(torus.levels.at(0).shape, (std::vector<std::int64_t>{32, 32}));
    EXPECT_DOUBLE_EQ(torus.reduction_flops_per_second, 1e10);
    EXPECT_DOUBLE_EQ(torus.levels.at(0).latency.value, 0.5e-6);
    const Machine &cluster = analyzed.program->machines.at(1);
    ASSERT_EQ(cluster.levels.size(), 2);
    EXPECT_EQ(cluster.levels[0].units, 8);
    EXPECT_DOUBLE_EQ(cluster.levels[0].latency.value, 0.2e-6);
    EXPECT_EQ(cluster.levels[1].units, 16);
    EXPECT_EQ(cluster.levels[1].links, 2);
    EXPECT_DOUBLE_EQ(cluster.flops_per_second, 1e12);
    const Mesh &grid = analyzed.program->meshes.at(0);
    EXPECT_EQ(grid.machine, "cluster");
    EXPECT_EQ(grid.axes.at(0).size, 16);
    EXPECT_FALSE(grid.axes.at(1).size);
    EXPECT_TRUE(analyzed.program->meshes.at(1).automatic);
}

/// A rank a GPU: three in a socket, two sockets in a node with two rails.
TEST(Places, Summit) {
    const Analyzed analyzed = analyze_file(PLANC_SOURCE_DIR "/stdlib/machines/summit.plan");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Machine &machine = analyzed.program->machines.at(0);
    ASSERT_EQ(machine.levels.size(), 3);
    EXPECT_EQ(machine.levels[0].units * machine.levels[1].units * machine.levels[2].units, 6 * 4608);
    EXPECT_EQ(machine.levels[2].links, 2);
    EXPECT_DOUBLE_EQ(machine.levels[2].bytes_per_second, 12.5e9);
    EXPECT_EQ(machine.allreduce.back().algorithm, "hierarchical");
}

TEST(Places, EthernetClusters) {
    for (const char *rate : {"10", "100"}) {
        const std::string file = std::string(PLANC_SOURCE_DIR "/stdlib/machines/ethernet_") + rate + ".plan";
        const Analyzed analyzed = analyze_file(file);
        ASSERT_TRUE(analyzed.program) << analyzed.report;
        const Machine &machine = analyzed.program->machines.at(0);
        ASSERT_EQ(machine.levels.size(), 2);
        EXPECT_DOUBLE_EQ(machine.levels[1].bytes_per_second, std::stod(rate) * 1e9 / 8);
        EXPECT_DOUBLE_EQ(machine.flops_per_second, 16 * 67.2e9);
    }
}

TEST(Places, LevelsOfAnyDepth) {
    const Analyzed analyzed = analyze_text(R"(
machine deep {
    node   = processor(peak = 1 Tflop/s, memory_bandwidth = 100 GB/s)
    levels = [star(8, latency = 0.2 us, bandwidth = 50 GB/s), star(16, latency = 1 us, bandwidth = 12.5 GB/s, links = 2),
              torus(4, 2, latency = 2 us, bandwidth = 100 GB/s)]
    allreduce = [recursive_doubling, rabenseifner(above = 2 KiB), hierarchical(above = 1 MiB)]
    allgather = recursive_doubling
}
)");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Machine &deep = analyzed.program->machines.at(0);
    ASSERT_EQ(deep.levels.size(), 3);
    EXPECT_EQ(deep.levels[1].units, 16);
    EXPECT_EQ(deep.levels[1].links, 2);
    EXPECT_EQ(deep.levels[2].units, 8);
    EXPECT_EQ(deep.levels[2].shape, (std::vector<std::int64_t>{4, 2}));
    ASSERT_EQ(deep.allreduce.size(), 3);
    EXPECT_EQ(deep.allreduce[1].algorithm, "rabenseifner");
    EXPECT_DOUBLE_EQ(deep.allreduce[1].above_bytes, 2048);
    EXPECT_EQ(deep.allgather.at(0).algorithm, "recursive_doubling");
}

} // namespace
} // namespace planc::sema
