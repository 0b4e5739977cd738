// What the reports say, and that they keep their promises to programs that read them.
#include "cost/reports/report.h"
#include "sharding/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace planc::cost {
namespace {

class Report : public testing::Test {
  protected:
    Report() {
        machine.name = "test";
        machine.network().latency = Seconds(1e-6);
        machine.network().bytes_per_second = 1e9;
        const Graph graph =
            sharding::graphs::training_step({64, {128, 512, 128}, {"io", "hidden", "io"}, false, false});
        const LayerStrategies layers = sharding::graphs::everywhere(graph, {"batch", "hidden"});
        const Mesh mesh{{4, 2}};
        table = price(graph, sharding::lay_out(graph, mesh, layers), mesh, {"rows", "cols"}, machine, layers);
    }
    Machine machine;
    CostTable table;
};

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST_F(Report, TextNamesSplitsCollectivesAndTotals) {
    const std::string text = text_report(table, machine, {"two_layer", false, 0, {}});
    EXPECT_TRUE(contains(text, "two_layer on 8 ranks (rows 4 x cols 2) of machine test")) << text;
    EXPECT_TRUE(contains(text, "fc1: batch over rows, model (output: hidden) over cols\n")) << text;
    EXPECT_TRUE(contains(text, "fc2: batch over rows, model (input: hidden) over cols\n")) << text;
    EXPECT_TRUE(contains(text, "gradient of fc1.w")) << text;
    EXPECT_TRUE(contains(text, "131,072")) << text;
    EXPECT_TRUE(contains(text, "memory of a rank: about ")) << text;
    EXPECT_FALSE(contains(text, "alpha")) << text;
}

TEST_F(Report, FormulasCarryTheirNumbers) {
    const std::string text = text_report(table, machine, {"two_layer", true, 0, {}});
    EXPECT_TRUE(
        contains(text, "2(P-1) alpha + 2(P-1)/P n beta, P = 2, n = 8192 B, alpha = 1.00 us, 1/beta = 1.00 GB/s"))
        << text;
}

/// Where a closed form would not say it: dimension by dimension, level by level.
TEST_F(Report, FormulasOfSeveralLinksAreRounds) {
    machine.network().shape = {2, 4};
    table.layers[LayerId(0)].collectives.at(0).axes = {0, 1};
    EXPECT_EQ(
        formula(table.layers[LayerId(0)].collectives[0], table, machine),
        "ring: 8 alpha + 1.75 n beta at alpha = 1.00 us, 1/beta = 1.00 GB/s (alpha paid by the bucket), P = 8, n = "
        "131072 B");
    machine.network().shape.clear();
    machine.levels.insert(machine.levels.begin(), {2, {Seconds(1e-7), 1e10}});
    table.layers[LayerId(0)].collectives[0].algorithm = Algorithm::recursive_doubling;
    EXPECT_EQ(
        formula(table.layers[LayerId(0)].collectives[0], table, machine),
        "recursive doubling: 1 alpha + 1 n beta at alpha = 100 ns, 1/beta = 10.0 GB/s; 2 alpha + 2 n beta at alpha = "
        "1.00 us, 1/beta = 0.50 GB/s (alpha paid by the bucket), P = 8, n = 131072 B");
}

TEST_F(Report, JsonHasTheDocumentedKeys) {
    const std::string json = json_report(table, machine, {"two_layer", false, 0, {}});
    for (const char *key : {"network", "ranks", "mesh", "seconds", "bytes", "memory_bytes", "layers", "name", "split",
                            "compute_seconds", "collectives", "kind", "axes", "phase", "messages", "reshards"})
        EXPECT_TRUE(contains(json, "\"" + std::string(key) + "\":")) << key;
    EXPECT_TRUE(contains(json, "\"mesh\": {\n    \"rows\": 4,\n    \"cols\": 2\n  }")) << json;
    EXPECT_TRUE(contains(json, "\"kind\": \"all-reduce\"")) << json;
    EXPECT_TRUE(contains(json, "\"phase\": \"weight gradient\"")) << json;
    EXPECT_EQ(std::count(json.begin(), json.end(), '{'), std::count(json.begin(), json.end(), '}'));
}

TEST_F(Report, CsvHasAsManyFieldsInEachLine) {
    const std::string csv = csv_report(table);
    std::size_t begin = 0;
    int lines = 0;
    while (begin < csv.size()) {
        const std::size_t end = csv.find('\n', begin);
        const std::string line = csv.substr(begin, end - begin);
        bool quoted = false;
        int commas = 0;
        for (char c : line) {
            quoted ^= c == '"';
            commas += c == ',' && !quoted;
        }
        EXPECT_EQ(commas, 8) << line;
        begin = end + 1;
        ++lines;
    }
    EXPECT_GT(lines, 6);
}

TEST(Words, HumanUnits) {
    EXPECT_EQ(human_bytes(Bytes(640)), "640 B");
    EXPECT_EQ(human_bytes(Bytes(1536)), "1.50 KiB");
    EXPECT_EQ(human_bytes(Bytes(150.0 * 1024 * 1024)), "150 MiB");
    EXPECT_EQ(human_seconds(Seconds(0)), "0 s");
    EXPECT_EQ(human_seconds(Seconds(1.234e-5)), "12.3 us");
    EXPECT_EQ(human_seconds(Seconds(0.5)), "500 ms");
    EXPECT_EQ(human_seconds(Seconds(12.34)), "12.3 s");
}

} // namespace
} // namespace planc::cost
