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
    EXPECT_EQ(machine.nodes, 1000);
    EXPECT_DOUBLE_EQ(machine.flops_per_second, 8.96e12);
    EXPECT_DOUBLE_EQ(machine.memory_bytes_per_second, 128e9);
    EXPECT_DOUBLE_EQ(machine.memory_bytes, 256. * 1024 * 1024 * 1024);
    EXPECT_EQ(machine.gemm_block, (std::vector<std::int64_t>{480, 3072, 384}));
    EXPECT_DOUBLE_EQ(machine.network.latency.value, 0.5e-6);
    EXPECT_DOUBLE_EQ(machine.network.bytes_per_second, 25e9); // 200 Gbit/s
    EXPECT_EQ(machine.allreduce, "bucket");
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
    network = star(latency = 2 us, bandwidth = 100 Gbit/s)
}
mesh grid on cluster = [rows: 4 * 4, cols]
mesh any = auto
)");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Machine &torus = analyzed.program->machines.at(0);
    EXPECT_EQ(torus.network.shape, (std::vector<std::int64_t>{32, 32}));
    EXPECT_DOUBLE_EQ(torus.reduction_flops_per_second, 1e10);
    EXPECT_DOUBLE_EQ(torus.network.latency.value, 0.5e-6);
    const Machine &cluster = analyzed.program->machines.at(1);
    EXPECT_EQ(cluster.ranks_per_node, 8);
    ASSERT_TRUE(cluster.inside);
    EXPECT_DOUBLE_EQ(cluster.flops_per_second, 1e12);
    const Mesh &grid = analyzed.program->meshes.at(0);
    EXPECT_EQ(grid.machine, "cluster");
    EXPECT_EQ(grid.axes.at(0).size, 16);
    EXPECT_FALSE(grid.axes.at(1).size);
    EXPECT_TRUE(analyzed.program->meshes.at(1).automatic);
}

} // namespace
} // namespace planc::sema
