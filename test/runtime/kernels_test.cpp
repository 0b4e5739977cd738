#include "kernels/libraries/blas.h"
#include "kernels/products/banded_product.h"
#include "support/failure.h"

#include <planrt/parallel.h>
#include <planrt/planrt.h>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace planrt {
namespace {

class Gemm : public testing::Test {
  protected:
    static void SetUpTestSuite() { load_blas(1); }

    template <class T> std::vector<T> random(std::int64_t count) {
        std::vector<T> values(static_cast<std::size_t>(count));
        for (T &value : values)
            value = static_cast<T>(std::uniform_int_distribution<int>(-4, 4)(random_)); // exact in any order
        return values;
    }

    std::mt19937 random_{1};
};

/// C as it should be; row strides beyond the rows.
template <class T>
std::vector<T> expected_product(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                                const std::vector<T> &a, std::int64_t lda, const std::vector<T> &b, std::int64_t ldb,
                                T beta, std::vector<T> c, std::int64_t ldc) {
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            T sum = 0;
            for (std::int64_t l = 0; l < k; ++l)
                sum += (a_op == Op::plain ? a[i * lda + l] : a[l * lda + i]) *
                       (b_op == Op::plain ? b[l * ldb + j] : b[j * ldb + l]);
            c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];
        }
    return c;
}

TEST_F(Gemm, AllOpsStridesAndEmptySizes) {
    for (const Op a_op : {Op::plain, Op::transposed})
        for (const Op b_op : {Op::plain, Op::transposed})
            for (const std::int64_t m : {0, 1, 5})
                for (const std::int64_t n : {0, 1, 7})
                    for (const std::int64_t k : {0, 3}) {
                        const std::int64_t lda = (a_op == Op::plain ? k : m) + 2;
                        const std::int64_t ldb = (b_op == Op::plain ? n : k) + 1;
                        const auto a = random<float>(8 * lda);
                        const auto b = random<float>(8 * ldb);
                        auto c = random<float>(6 * (n + 3));
                        const auto wanted = expected_product(a_op, b_op, m, n, k, 2.0F, a, lda, b, ldb, 3.0F, c, n + 3);
                        gemm(a_op, b_op, m, n, k, 2.0F, a.data(), lda, b.data(), ldb, 3.0F, c.data(), n + 3);
                        EXPECT_EQ(c, wanted) << m << " " << n << " " << k;
                    }
}

TEST_F(Gemm, BatchesAndDoubles) {
    const auto a = random<double>(3 * 10);
    const auto b = random<double>(3 * 8);
    std::vector<double> c(3 * 20, std::numeric_limits<double>::quiet_NaN()); // beta 0 does not read C
    batched_gemm(Op::plain, Op::plain, {{3, 10, 8, 20}}, 5, 4, 2, 1.0, a.data(), 2, b.data(), 4, 0.0, c.data(), 4);
    for (int i = 0; i < 3; ++i) {
        const std::vector<double> a_i(a.begin() + 10 * i, a.begin() + 10 * (i + 1));
        const std::vector<double> b_i(b.begin() + 8 * i, b.begin() + 8 * (i + 1));
        const auto wanted =
            expected_product(Op::plain, Op::plain, 5, 4, 2, 1.0, a_i, 2, b_i, 4, 0.0, std::vector<double>(20), 4);
        EXPECT_EQ(std::vector<double>(c.begin() + 20 * i, c.begin() + 20 * (i + 1)), wanted);
    }
}

/// Large enough for oneDNN and for threads; C holds no numbers yet.
TEST_F(Gemm, LargerProductsOnThreads) {
    constexpr std::int64_t m = 150;
    constexpr std::int64_t n = 97;
    constexpr std::int64_t k = 60;
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (const Op a_op : {Op::plain, Op::transposed})
            for (const Op b_op : {Op::plain, Op::transposed})
                for (const bool turned : {false, true}) {
                    const std::int64_t rows = turned ? n : m;
                    const std::int64_t columns = turned ? m : n;
                    const std::int64_t lda = (a_op == Op::plain ? k : rows) + 2;
                    const std::int64_t ldb = (b_op == Op::plain ? columns : k) + 1;
                    const auto a = random<float>(160 * lda);
                    const auto b = random<float>(160 * ldb);
                    std::vector<float> c(rows * columns, std::numeric_limits<float>::quiet_NaN());
                    const auto wanted = expected_product(a_op, b_op, rows, columns, k, 1.0F, a, lda, b, ldb, 0.0F,
                                                         std::vector<float>(c.size()), columns);
                    gemm(a_op, b_op, rows, columns, k, 1.0F, a.data(), lda, b.data(), ldb, 0.0F, c.data(), columns);
                    for (std::size_t i = 0; i < c.size(); ++i)
                        ASSERT_NEAR(c[i], wanted[i], 1e-4);
                }
    }
    set_thread_count(1);
}

/// What no cache holds is multiplied part by part: results that count for more than themselves by panels of rows, with
/// few rows of A few rows of B at a time, and of a transposed A, where those are whole pages apart. (Where oneDNN
/// multiplies: with AVX-512.)
TEST_F(Gemm, LargeResultsAndFewRows) {
    struct Shape {
        std::int64_t m, n, k;
    };
    for (const auto &[m, n, k] :
         {Shape{1100, 1000, 5}, Shape{7, 1024, 1100}, Shape{64, 2048, 640}, Shape{1024, 36, 300}})
        for (const Op a_op : {Op::plain, Op::transposed})
            for (const Op b_op : {Op::plain, Op::transposed})
                for (const float beta : {0.0F, 1.0F, 3.0F}) {
                    const std::int64_t lda = a_op == Op::plain ? k + 2 : m;
                    const std::int64_t ldb = b_op == Op::plain ? n : k;
                    const std::int64_t ldc = n + 3;
                    const auto a = random<float>((a_op == Op::plain ? m : k) * lda);
                    const auto b = random<float>(k * n);
                    auto c = random<float>(m * ldc);
                    const auto wanted = expected_product(a_op, b_op, m, n, k, 2.0F, a, lda, b, ldb, beta, c, ldc);
                    if (beta == 0)
                        for (std::int64_t i = 0; i < m; ++i) // there need be no numbers yet
                            std::fill_n(c.begin() + i * ldc, n, std::numeric_limits<float>::quiet_NaN());
                    gemm(a_op, b_op, m, n, k, 2.0F, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
                    EXPECT_EQ(c, wanted) << m << " " << n << " " << k << " " << beta;
                }
}

/// A product of masked attention: bands below the diagonal, above it, or around it; sizes that fill no tile.
struct BandedProduct {
    Op a_op;
    Op b_op;
    std::int64_t m;
    std::int64_t n;
    std::int64_t k;
    float beta;
};

class BandedGemm : public Gemm {
  protected:
    /// Compares in C's band, and looks for finite numbers outside of it.
    void check(const BandedProduct &product, const Bands &bands, bool small) {
        const auto [a_op, b_op, m, n, k, beta] = product;
        const auto within = [](const Band &band, std::int64_t i, std::int64_t j) {
            return j - i >= band.lower && j - i <= band.upper;
        };
        const std::int64_t lda = (a_op == Op::plain ? k : m) + 2;
        const std::int64_t ldb = (b_op == Op::plain ? n : k) + 1;
        const std::int64_t ldc = n + 3;
        auto a = random<float>((a_op == Op::plain ? m : k) * lda);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t p = 0; p < k; ++p)
                if (!within(bands.a, i, p))
                    a[a_op == Op::plain ? i * lda + p : p * lda + i] = 0;
        const auto b = random<float>((b_op == Op::plain ? k : n) * ldb);
        auto c = random<float>(m * ldc);
        const auto wanted = expected_product(a_op, b_op, m, n, k, 1.0F, a, lda, b, ldb, beta, c, ldc);
        if (beta == 0)
            for (std::int64_t i = 0; i < m; ++i) // beta 0 does not read C
                std::fill_n(c.begin() + i * ldc, n, std::numeric_limits<float>::quiet_NaN());
        std::vector<float> tiled = c;
        batched_gemm(a_op, b_op, {{1, 0, 0, 0}}, m, n, k, 1.0F, a.data(), lda, b.data(), ldb, beta, c.data(), ldc,
                     bands);
        const bool suits = small && suitable_core_type() == std::string("Haswell");
        EXPECT_EQ(multiply_banded(a_op, b_op, m, n, k, a.data(), lda, b.data(), ldb, beta, tiled.data(), ldc, bands),
                  suits);
        for (const std::vector<float> *made : {&c, suits ? &tiled : &c})
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < ldc; ++j) {
                    const std::int64_t at = i * ldc + j;
                    if (j >= n || within(bands.c, i, j))
                        ASSERT_EQ((*made)[at], wanted[at]) << m << " " << n << " " << k << " " << i << " " << j;
                    else
                        ASSERT_TRUE(std::isfinite((*made)[at]));
                }
    }
};

TEST_F(BandedGemm, BandsAreAllThatCounts) {
    constexpr std::array<Band, 6> bands{
        {{.upper = 0}, {.lower = 1}, {.lower = -9, .upper = 3}, {.upper = -40}, {.lower = -500}, {.upper = -1000}}};
    for (const Band &band : bands)
        for (const auto [m, n, k] : {std::array<std::int64_t, 3>{128, 32, 128}, {61, 19, 83}, {90, 1, 77}, {45, 90, 3}})
            for (const Op a_op : {Op::plain, Op::transposed})
                for (const Op b_op : {Op::plain, Op::transposed})
                    for (const float beta : {0.0F, 1.0F, 3.0F}) {
                        const BandedProduct product{a_op, b_op, m, n, k, beta};
                        check(product, {.a = band}, true);
                        check(product, {.c = band}, true);
                        check(product, {.a = band, .c = {.lower = -7}}, true);
                    }
}

/// A rank's part may be empty.
TEST_F(BandedGemm, BandsOfEmptyMatrices) {
    for (const auto [m, n, k] : {std::array<std::int64_t, 3>{9, 7, 0}, {0, 7, 5}, {9, 0, 5}})
        for (const float beta : {0.0F, 3.0F}) {
            check({Op::plain, Op::transposed, m, n, k, beta}, {.a = {.upper = 0}}, k > 0);
            check({Op::transposed, Op::plain, m, n, k, beta}, {.c = {.lower = -2}}, k > 0);
        }
}

/// Of long sequences blocks of rows are multiplied.
TEST_F(BandedGemm, BandsOfLargeMatrices) {
    for (const Band &band : {Band{.upper = 5}, Band{.lower = 17}, Band{.lower = -60, .upper = 300}})
        for (const Op op : {Op::plain, Op::transposed}) {
            check({op, Op::plain, 301, 24, 530, 0.0F}, {.a = band}, false);
            check({op, Op::transposed, 530, 401, 150, 1.0F}, {.c = band}, false);
        }
}

/// Scores of attention: (batch, query, head, feature) with (batch, key, head, feature) to (batch, head, query, key).
TEST_F(Gemm, StridedBatchesInSeveralLoops) {
    constexpr int heads = 3;
    constexpr int queries = 4;
    constexpr int keys = 5;
    constexpr int features = 2;
    std::vector<double> q(2 * queries * heads * features);
    std::vector<double> k(2 * keys * heads * features);
    std::iota(q.begin(), q.end(), 1.0);
    std::iota(k.begin(), k.end(), -7.0);
    std::vector<double> scores(2 * heads * queries * keys);
    batched_gemm(Op::plain, Op::transposed,
                 {{2, queries * heads * features, keys * heads * features, heads * queries * keys},
                  {heads, features, features, queries * keys}},
                 queries, keys, features, 1.0, q.data(), heads * features, k.data(), heads * features, 0.0,
                 scores.data(), keys);
    for (int b = 0; b < 2; ++b)
        for (int h = 0; h < heads; ++h)
            for (int i = 0; i < queries; ++i)
                for (int j = 0; j < keys; ++j) {
                    double sum = 0;
                    for (int f = 0; f < features; ++f)
                        sum += q[((b * queries + i) * heads + h) * features + f] *
                               k[((b * keys + j) * heads + h) * features + f];
                    EXPECT_EQ(scores[((b * heads + h) * queries + i) * keys + j], sum);
                }
}

TEST_F(Gemm, EmptySumClearsWhatIsNoNumber) {
    float c = std::numeric_limits<float>::quiet_NaN();
    gemm(Op::plain, Op::plain, 1, 1, 0, 1.0F, nullptr, 0, nullptr, 1, 0.0F, &c, 1);
    EXPECT_EQ(c, 0.0F);
}

TEST_F(Gemm, KernelsSuitTheProcessor) {
    const char *suitable = suitable_core_type();
    if (suitable == nullptr)
        GTEST_SKIP() << "a processor without AVX2";
    if (std::strcmp(std::getenv("OPENBLAS_CORETYPE"), suitable) != 0)
        GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
    EXPECT_STRCASEEQ(blas().core, suitable);
}

void expect_transposed(const std::vector<std::int64_t> &extents, const std::vector<int> &permutation) {
    const std::int64_t count = std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
    std::vector<std::int32_t> from(static_cast<std::size_t>(count));
    std::iota(from.begin(), from.end(), 0);
    std::vector<std::int32_t> to(from.size(), -1);
    transpose(from.data(), extents, permutation, to.data());
    for (std::int64_t position = 0; position < count; ++position) { // position in `to`
        std::vector<std::int64_t> index(extents.size());
        std::int64_t rest = position;
        for (std::size_t d = extents.size(); d-- > 0;) {
            index[permutation[d]] = rest % extents[permutation[d]];
            rest /= extents[permutation[d]];
        }
        std::int64_t source = 0;
        for (std::size_t d = 0; d < extents.size(); ++d)
            source = source * extents[d] + index[d];
        ASSERT_EQ(to[position], source) << "at " << position;
    }
}

TEST(Transpose, Matrices) {
    expect_transposed({1, 1}, {1, 0});
    expect_transposed({16, 16}, {1, 0});
    expect_transposed({35, 67}, {1, 0});
    expect_transposed({35, 67}, {0, 1});
    expect_transposed({0, 5}, {1, 0});
}

TEST(Transpose, EveryPermutationOfFourDimensions) {
    for (const std::vector<std::int64_t> &extents :
         {std::vector<std::int64_t>{2, 3, 4, 5}, std::vector<std::int64_t>{1, 18, 1, 7}}) {
        std::vector<int> permutation = {0, 1, 2, 3};
        do
            expect_transposed(extents, permutation);
        while (std::ranges::next_permutation(permutation).found);
    }
}

TEST(Transpose, ScalarsAndManyDimensions) {
    expect_transposed({}, {});
    std::vector<std::int64_t> extents(12, 2);
    std::vector<int> reversed(12);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    expect_transposed(extents, reversed);
}

TEST(Parallel, PartsCoverTheRange) {
    for (const int threads : {1, 2, 4}) {
        set_thread_count(threads);
        for (const std::int64_t size : {0, 1, 7, 1000}) {
            std::vector<int> visits(static_cast<std::size_t>(size));
            parallel(0, size, 2, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i)
                    ++visits[static_cast<std::size_t>(i)];
            });
            EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
        }
    }
    set_thread_count(1);
}

TEST(Parallel, TooManyThreadsAreAFailure) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "its shadow memory goes beyond every limit";
#endif
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit little = before;
    little.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + (rlim_t{256} << 20); // stacks take megabytes
    ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
    EXPECT_THROW(set_thread_count(1000), Failure);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(thread_count(), 1);
}

TEST(Embedding, RowsOfOthersAreZero) {
    const std::vector<std::int32_t> indices{4, 2, 9, 3};
    const std::vector<float> table{20, 21, 30, 31, 40, 41}; // rows 2, 3, 4
    std::vector<float> to(8, -1);
    embedding(indices.data(), 4, table.data(), 1, 3, 2, 2, to.data());
    EXPECT_EQ(to, (std::vector<float>{40, 41, 20, 21, 0, 0, 30, 31}));
}

/// The looked-up dimension stands last: (before 2, rows 3, after 1).
TEST(Embedding, GradientsAddUpByRow) {
    const std::vector<std::int32_t> indices{0, 2, 0, 7};
    const std::vector<double> gradient{1, 10, 2, 20, 4, 40, 8, 80};
    std::vector<double> to(6, -1);
    embedding_gradient(indices.data(), 4, gradient.data(), 2, 3, 1, 0, to.data());
    EXPECT_EQ(to, (std::vector<double>{5, 0, 2, 50, 0, 20}));
}

TEST(CopyRows, Strides) {
    const std::vector<std::int32_t> from{1, 2, 3, 4, 5, 6};
    std::vector<std::int32_t> to(8, 0);
    copy_rows(2, 2, from.data() + 1, 3, to.data(), 4);
    EXPECT_EQ(to, (std::vector<std::int32_t>{2, 3, 0, 0, 5, 6, 0, 0}));
}

} // namespace
} // namespace planrt
