// Sparse times dense on one thread, f32: GB/s of gathered rows of x, by the kernel, by a plain loop, and by a loop that
// only gathers the rows (the limit), all three in turns. Random graphs of 16 nonzeros a row: x within the first caches,
// in the last one and in memory. Values, and values that are all alike.
#include <planrt/pattern.h>
#include <planrt/spmm.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace {

using planrt::SparseBlock;

constexpr std::int64_t degree = 16;

planrt::Pattern random_graph(std::int64_t vertices) {
    std::mt19937 random(1);
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    for (std::int64_t i = 0; i < vertices * degree; ++i) {
        row.push_back(static_cast<std::int32_t>(i / degree));
        column.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vertices)));
    }
    planrt::Pattern pattern = planrt::pattern_of(vertices, vertices, row, column);
    pattern.values = {};
    return pattern;
}

void plain_loop(const SparseBlock<float> &a, std::int64_t features, const float *x, float *y) {
    for (std::int64_t v = 0; v < a.rows; ++v) {
        float *row = y + v * features;
        std::fill_n(row, features, 0.0F);
        for (std::int64_t i = a.row_begin[v]; i < a.row_begin[v + 1]; ++i) {
            const float value = a.values == nullptr ? a.value : a.values[i];
            const float *from = x + a.column[i] * features;
#pragma omp simd
            for (std::int64_t f = 0; f < features; ++f)
                row[f] += value * from[f];
        }
    }
}

/// Sums all rows that the product reads into one, some columns at a time. No rows of y.
template <int columns> void gather_only(const SparseBlock<float> &a, std::int64_t features, const float *x, float *y) {
    constexpr int lanes = std::min(columns, planrt::sparse::register_bytes / 4);
    using Register = planrt::sparse::Lanes<float, lanes>::type;
    constexpr std::int64_t ahead = 1024 / columns;
    Register sums[columns / lanes] = {};
    const std::int64_t end = a.row_begin[a.rows];
    for (std::int64_t i = 0; i < end; ++i) {
        const float *next = x + a.column[std::min(i + ahead, end - 1)] * features;
        const float *from = x + a.column[i] * features;
        for (std::int64_t f = 0; f < features; f += columns) {
            planrt::sparse::fetch<float, columns>(next + f);
#pragma GCC unroll 8
            for (int k = 0; k < columns / lanes; ++k) {
                Register values;
                std::memcpy(&values, from + f + k * lanes, sizeof values);
                sums[k] += values;
            }
        }
    }
    std::memcpy(y, sums, sizeof sums);
}

struct Rates {
    double kernel;
    double plain;
    double gather;
};

/// GB/s of the fastest of several rounds, in which the loops take turns.
Rates measure(const SparseBlock<float> &a, std::int64_t features, const float *x, float *y) {
    using Clock = std::chrono::steady_clock;
    constexpr int rounds = 7;
    const std::function<void()> loops[3] = {
        [&] { planrt::spmm(a, features, x, features, y, features, planrt::Into::assign); },
        [&] { plain_loop(a, features, x, y); },
        [&] {
            const auto gather = features == 16   ? gather_only<16>
                                : features == 32 ? gather_only<32>
                                                 : gather_only<planrt::sparse::widest<float>>;
            gather(a, features, x, y);
        }};
    double best[3] = {1e9, 1e9, 1e9};
    for (int round = 0; round < rounds; ++round)
        for (int loop = 0; loop < 3; ++loop) {
            const auto begin = Clock::now();
            loops[loop]();
            best[loop] = std::min(best[loop], std::chrono::duration<double>(Clock::now() - begin).count());
        }
    const double gigabytes = 4e-9 * static_cast<double>(a.row_begin[a.rows] * features);
    return {gigabytes / best[0], gigabytes / best[1], gigabytes / best[2]};
}

} // namespace

int main() {
    std::printf("vertices  features  x MB    values      spmm  plain loop  gather only   of gather\n");
    for (const std::int64_t vertices : {2000, 20000, 200000}) {
        const planrt::Pattern pattern = random_graph(vertices);
        const std::vector<float> values(pattern.column.size(), 0.5F);
        for (const std::int64_t features : {16, 32, 64, 128, 256}) {
            const std::vector<float> x(vertices * features, 1.0F);
            std::vector<float> y(vertices * features);
            for (const bool alike : {false, true}) {
                const SparseBlock<float> a{pattern.rows, pattern.row_begin.data(), pattern.column.data(),
                                           alike ? nullptr : values.data(), 0.5F};
                const Rates rates = measure(a, features, x.data(), y.data());
                std::printf("%8lld  %8lld  %5.1f  %8s  %6.1f GB/s  %5.1f GB/s   %5.1f GB/s      %4.2f\n",
                            static_cast<long long>(vertices), static_cast<long long>(features),
                            4e-6 * static_cast<double>(vertices * features), alike ? "all 0.5" : "each", rates.kernel,
                            rates.plain, rates.gather, rates.kernel / rates.gather);
            }
        }
    }
}
