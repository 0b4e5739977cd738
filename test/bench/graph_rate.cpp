// Seconds for a graph of 100,000 vertices and a million edges, whose sources have very unequal degrees: to read it in
// each format, to transpose it, to count what its products move, to order it.
#include <planrt/graph_file.h>
#include <planrt/sparse_traffic.h>
#include <planrt/vertex_order.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace planrt;

constexpr std::int64_t vertices = 100000;
constexpr std::int64_t edges = 1000000;

std::vector<std::int32_t> sources;
std::vector<std::int32_t> targets;

void draw_edges() {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform;
    for (std::int64_t i = 0; i < edges; ++i) {
        sources.push_back(static_cast<std::int32_t>(std::pow(uniform(random), 3) * vertices));
        targets.push_back(static_cast<std::int32_t>(uniform(random) * vertices));
    }
}

/// The least seconds of three calls.
template <class Work> double seconds(const Work &work) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const auto begin = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

void write_matrix(const std::string &path, bool real) {
    std::FILE *file = std::fopen(path.c_str(), "w");
    std::fprintf(file, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n", real ? "real" : "pattern",
                 static_cast<long long>(vertices), static_cast<long long>(vertices), static_cast<long long>(edges));
    for (std::int64_t i = 0; i < edges; ++i) {
        std::fprintf(file, "%d %d", targets[i] + 1, sources[i] + 1);
        std::fprintf(file, real ? " %.17g\n" : "\n", 1.0 / static_cast<double>(i + 1));
    }
    std::fclose(file);
}

void write_edge_list(const std::string &path) {
    std::FILE *file = std::fopen(path.c_str(), "w");
    for (std::int64_t i = 0; i < edges; ++i)
        std::fprintf(file, "%d,%d\n", sources[i], targets[i]);
    std::fclose(file);
}

void write_npy(const std::string &path) {
    std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, " + std::to_string(edges) + ")}\n";
    std::ofstream file(path, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8);
    file.put(static_cast<char>(header.size())).put('\0') << header;
    for (const auto *ends : {&sources, &targets})
        file.write(reinterpret_cast<const char *>(ends->data()), edges * 4);
}

void measure_reading(const char *name, const GraphFile &file) {
    GraphOptions options{vertices, vertices};
    const double plain = seconds([&] { static_cast<void>(read_graph(file, options)); });
    options.self_loops = true;
    options.normalization = Normalization::symmetric;
    const double normalized = seconds([&] { static_cast<void>(read_graph(file, options)); });
    std::printf("read %-24s %6.3f s   with self loops, normalized %6.3f s\n", name, plain, normalized);
}

void measure_parts(const Pattern &pattern, int parts) {
    const Cuts cuts = balanced_cuts(pattern.row_begin, parts, 1);
    RowsMoved moved;
    const double counting = seconds([&] { moved = rows_moved(pattern, cuts); });
    std::printf("%3d parts: what moves %6.3f s (needed %lld, cover %lld)", parts, counting,
                static_cast<long long>(moved.needed), static_cast<long long>(moved.cover));
    if (has_metis())
        std::printf("   order by METIS %6.2f s",
                    seconds([&] { static_cast<void>(order_vertices(pattern, {VertexOrdering::metis, 1, parts})); }));
    std::printf("\n");
}

} // namespace

int main() {
    draw_edges();
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("graph_rate." + std::to_string(getpid()));
    write_matrix(path, false);
    measure_reading("Matrix Market, pattern", {GraphFormat::matrix_market, path});
    const Pattern pattern = read_graph({GraphFormat::matrix_market, path}, {vertices, vertices});
    write_matrix(path, true);
    measure_reading("Matrix Market, real", {GraphFormat::matrix_market, path});
    write_edge_list(path);
    measure_reading("CSV", {GraphFormat::edge_list, path});
    write_npy(path);
    measure_reading(".npy", {GraphFormat::npy, path});
    std::filesystem::remove(path);
    std::printf("transposed %6.3f s\n", seconds([&] { static_cast<void>(transposed(pattern)); }));
    std::printf("fingerprint %6.4f s\n", seconds([&] { static_cast<void>(fingerprint(pattern)); }));
    for (const int parts : {2, 8, 64})
        measure_parts(pattern, parts);
}
