// Which kernel an operation runs, and with what shape; measured rates go before links and peak.
#include "cost/kernels/convolutions.h"
#include "cost/kernels/kernels.h"

#include "cost/collectives/step_price.h"
#include "cost/kernels/compute.h"
#include "sharding/convolutions.h"

#include <gtest/gtest.h>

namespace planc::cost {
namespace {

using planrt::ConvolutionKind;
using planrt::ConvolutionMethod;
namespace graphs = sharding::graphs;

/// 14 rows of 3 x 3 with a frame, 20 columns of 5 x 5 with steps of 2.
const graphs::Convolution uneven{6, 32, 48, {{"height", 14, 3, 1, 1, 1, 1}, {"width", 20, 5, 2, 1, 2, 1}}};

std::vector<std::int64_t> extents(const sharding::Nest &nest) {
    std::vector<std::int64_t> result;
    for (const sharding::Loop &loop : nest.loops)
        result.push_back(loop.extent);
    return result;
}

TEST(ConvolutionShape, IsTheSameOfAllThreeKinds) {
    const planrt::Convolution wanted{6, 1, 32, 48, {{14, 14, 3, 1, 1, 1}, {20, 10, 5, 2, 1, 2}}};
    for (const auto &[made, kind] : {std::pair{graphs::ConvolutionKind::forward, ConvolutionKind::forward},
                                     {graphs::ConvolutionKind::input_gradient, ConvolutionKind::input_gradient},
                                     {graphs::ConvolutionKind::weight_gradient, ConvolutionKind::weight_gradient}}) {
        const sharding::Nest nest = graphs::convolution_nest(uneven, made);
        const auto shape = convolution_shape(nest, extents(nest));
        ASSERT_TRUE(shape);
        EXPECT_EQ(shape->kind, kind);
        EXPECT_EQ(shape->conv, wanted) << static_cast<int>(kind);
    }
}

TEST(ConvolutionShape, IsNoneOfAProduct) {
    sharding::Nest nest;
    nest.loops = {{"batch", 8, {}}, {"in", 4, {}}, {"out", 2, {}}};
    nest.operands = {{0, 1}, {1, 2}};
    nest.results = {{0, 2}};
    EXPECT_FALSE(convolution_shape(nest, extents(nest)));
    const ProductShape product = product_shape(nest, extents(nest));
    EXPECT_EQ(product.m, 8);
    EXPECT_EQ(product.n, 2);
    EXPECT_EQ(product.k, 4);
    EXPECT_EQ(product.count, 1);
}

Machine measured() {
    Machine machine;
    machine.memory_bytes_per_second = 1e9;
    machine.kernels.product = support::ProductRate{1e9, {0, 0, 0}, Seconds(0)};
    machine.kernels.convolution = support::ProductRate{3e9, {0, 0, 0}, Seconds(0)};
    machine.kernels.winograd = support::WinogradRate{1e9, 1e9, Seconds(1)};
    return machine;
}

TEST(ConvolutionSeconds, AreThoseOfTheKernelThatIsChosen) {
    const planrt::WindowBlock direct{28, 28, 7, 1, 1, 3};
    const planrt::WindowBlock small{28, 28, 3, 1, 1, 1};
    const planrt::WindowBlock in_padding{2, 2, 3, 1, 1, 1};
    const auto method = [](const planrt::Convolution &conv) {
        return planrt::method_of(ConvolutionKind::forward, conv, /*avx512=*/true);
    };
    const planrt::Convolution by_onednn{4, 1, 64, 64, {direct, direct}};
    const planrt::Convolution by_winograd{16, 1, 64, 64, {small, small}};
    const planrt::Convolution by_taps{16, 1, 512, 512, {in_padding, in_padding}};
    ASSERT_EQ(method(by_onednn), ConvolutionMethod::direct);
    ASSERT_EQ(method(by_winograd), ConvolutionMethod::winograd);
    ASSERT_EQ(method(by_taps), ConvolutionMethod::taps);
    const auto seconds = [](const planrt::Convolution &conv, int element_bytes) {
        return convolution_seconds({ConvolutionKind::forward, conv}, element_bytes, measured())->value;
    };
    const double copied = 2 * 4 * 49.0 * 64 * 64 / 1e9; // its weights, in and out
    EXPECT_DOUBLE_EQ(seconds(by_onednn, 4), 2.0 * 4 * 28 * 28 * 64 * 64 * 49 / 3e9 + copied);
    EXPECT_GT(seconds(by_winograd, 4), 1);
    EXPECT_LT(seconds(by_winograd, 4) - 1, 2.0 * 16 * 28 * 28 * 64 * 64 * 9 / 1e9);
    EXPECT_LT(seconds(by_taps, 4), 0.6 * 2.0 * 16 * 2 * 2 * 512 * 512 * 9 / 1e9); // without the padding
    EXPECT_GT(seconds(by_onednn, 8), 2 * seconds(by_onednn, 4)) << "f64 has no packed kernel";
}

/// oneDNN's kernels for AVX2 do not support dilations.
TEST(ConvolutionSeconds, OfDilationsWithoutAvx512AreThoseOfProductsByTaps) {
    const auto conv = [](std::int64_t dilation) {
        const planrt::WindowBlock same{64, 64, 3, 1, dilation, dilation};
        return planrt::Convolution{2, 1, 16, 16, {same, same}};
    };
    const auto method = [](const planrt::Convolution &dilated, bool avx512) {
        return planrt::method_of(ConvolutionKind::forward, dilated, avx512);
    };
    EXPECT_EQ(method(conv(1), /*avx512=*/false), ConvolutionMethod::direct);
    EXPECT_EQ(method(conv(4), /*avx512=*/false), ConvolutionMethod::taps);
    EXPECT_EQ(method(conv(4), /*avx512=*/true), ConvolutionMethod::direct);
}

TEST(ConvolutionSeconds, AreNoneWithoutARate) {
    const planrt::WindowBlock window{28, 28, 7, 1, 1, 3};
    const planrt::Convolution conv{4, 1, 64, 64, {window, window}};
    EXPECT_FALSE(convolution_seconds({ConvolutionKind::weight_gradient, conv}, 4, measured()));
    EXPECT_FALSE(convolution_seconds({ConvolutionKind::forward, conv}, 4, Machine()));
}

TEST(PoolSeconds, CountPositionsAndElementsOfTheirWindows) {
    sharding::Nest nest; // 2 x 2 by steps of 2 on 8 rows and 6 columns of 3 channels
    nest.loops = {{"batch", 5, {}},   {"height", 4, {}},        {"width", 3, {}},
                  {"channel", 3, {}}, {"height kernel", 2, {}}, {"width kernel", 2, {}}};
    nest.operands = {{0, 1, 2, 3}};
    nest.results = {{0, 1, 2, 3}};
    nest.windows = {{0, 1, 4, 8, 2, 1, 0}, {0, 2, 5, 6, 2, 1, 0}};
    EXPECT_EQ(pooled_channels(nest, extents(nest)), 3);
    EXPECT_EQ(pool_operations(nest, extents(nest)), 5 * 4 * 3 * 3 * 4);
    sharding::Nest gradient = nest; // of x, from y's gradient and the numbers of its maxima
    gradient.loops[1].extent = 8;
    gradient.loops[2].extent = 6;
    gradient.operands = {{0, 1, 2, 3}, {0, 1, 2, 3}};
    gradient.windows = {{0, 1, 4, 4, 2, 1, 0, true},
                        {0, 2, 5, 3, 2, 1, 0, true},
                        {1, 1, 4, 4, 2, 1, 0, true},
                        {1, 2, 5, 3, 2, 1, 0, true}};
    EXPECT_EQ(pool_operations(gradient, extents(gradient)), 5 * 4 * 3 * 3 * 4);
    const support::PoolRate rate{1e6, 1, Seconds(0.5)};
    EXPECT_DOUBLE_EQ(pool_seconds(rate, 5 * 4 * 3 * 3 * 4, 3, Seconds(0.25)).value,
                     0.75 + 5 * 4 * 3 * (3 + 1) * 4 / 1e6);
}

TEST(PoolRate, IsThatOfTheKernelThatRuns) {
    support::KernelRates rates;
    sharding::Nest nest;
    nest.loops = {{"width", 6, {}}, {"width kernel", 2, {}}};
    nest.operands = {{0}};
    nest.results = {{0}};
    nest.windows = {{0, 0, 1, 12, 2, 1, 0}};
    EXPECT_EQ(pool_rate(nest, rates), nullptr);
    rates.pool = support::PoolRate{1e9, 1, {}};
    rates.pool_gradient = support::PoolRate{2e9, 1, {}};
    rates.tiled_pool_gradient = support::PoolRate{3e9, 1, {}};
    EXPECT_EQ(pool_rate(nest, rates)->flops_per_second, 1e9);
    nest.windows = {{0, 0, 1, 6, 2, 1, 0, true}};
    EXPECT_EQ(pool_rate(nest, rates)->flops_per_second, 3e9);
    nest.loops[1].extent = 3; // by steps of 2
    EXPECT_EQ(pool_rate(nest, rates)->flops_per_second, 2e9);
}

TEST(Rows, EndWhereTensorsAreIndexedDifferently) {
    sharding::Nest nest;
    nest.loops = {{"batch", 5, {}}, {"position", 4, {}}, {"channel", 3, {}}};
    nest.operands = {{0, 1, 2}};
    nest.results = {{0, 1, 2}};
    EXPECT_EQ(rows_of(nest, extents(nest)).count, 0) << "one run";
    nest.operands.push_back({2}); // a bias
    EXPECT_EQ(rows_of(nest, extents(nest)).count, 20);
    EXPECT_FALSE(rows_of(nest, extents(nest)).summed);
    nest.operands = {{0, 1, 2}, {0}}; // a number for each sample
    EXPECT_EQ(rows_of(nest, extents(nest)).count, 5);
    EXPECT_EQ(rows_of(nest, extents(nest)).elements, 12);
    nest.operands = {{0, 1, 2}};
    nest.results = {{2}};
    EXPECT_EQ(rows_of(nest, extents(nest)).count, 20);
    EXPECT_TRUE(rows_of(nest, extents(nest)).summed);
    nest.results = {{0, 1}}; // each row becomes a number
    EXPECT_EQ(rows_of(nest, extents(nest)).count, 20);
    EXPECT_FALSE(rows_of(nest, extents(nest)).summed);
    const support::LoopRate rate{1e9, {}, Seconds(1), Seconds(2)};
    EXPECT_EQ(rows_seconds(rate, {20, 11, false}).value, 60) << "three elements behind a vector of eight";
    EXPECT_EQ(rows_seconds(rate, {20, 6, true}).value, 240);
    EXPECT_EQ(rows_seconds(rate, {20, 16, true}).value, 0);
}

TEST(ProductSeconds, FillVectorsWithColumns) {
    Machine machine;
    machine.memory_bytes_per_second = 1e18;
    const support::ProductRate rate{1e9, {}, {}};
    EXPECT_NEAR(product_seconds(rate, {1, 4, 10, 4}, machine).value, 2 * 4 * 16 * 4 / 1e9, 1e-12);
    machine.kernels.wide_vectors = false;
    EXPECT_NEAR(product_seconds(rate, {1, 4, 7, 4}, machine).value, 2 * 4 * 8 * 4 / 1e9, 1e-12);
    machine.memory_bytes_per_second = 1e6; // the result goes through memory twice
    EXPECT_NEAR(product_seconds(rate, {1, 4, 8, 4}, machine).value, 4 * (16 + 32 + 2 * 32) / 1e6, 1e-6);
    machine.kernels.cache = support::CacheRate{4 * (16 + 32 + 32), 1e12};
    EXPECT_NEAR(product_seconds(rate, {10, 4, 8, 4}, machine).value, 10 * 2 * 4 * 8 * 4 / 1e9, 1e-7);
    EXPECT_NEAR(product_seconds(rate, {10, 4, 8, 4}, machine, 10).value, 9 * 4 * (16 + 32 + 2 * 32) / 1e6, 1e-5)
        << "a tenth of them fits";
}

TEST(Transfer, ComesFromTheCacheAsFarAsItFits) {
    Machine machine;
    machine.memory_bytes_per_second = 1e9;
    EXPECT_DOUBLE_EQ(transfer_seconds(Bytes(1e6), Bytes(1e6), machine).value, 1e-3);
    machine.kernels.cache = support::CacheRate{1e6, 1e10};
    EXPECT_DOUBLE_EQ(transfer_seconds(Bytes(1e6), Bytes(1e6), machine).value, 1e-4);
    EXPECT_DOUBLE_EQ(transfer_seconds(Bytes(1e6), Bytes(4e6), machine).value, 1e-4 / 4 + 1e-3 * 3 / 4);
}

TEST(MeasuredRate, IsOfTheSmallestGroupThatIsNoSmaller) {
    Machine machine;
    machine.levels = {{8, {}}, {2, {}}};
    machine.collectives = {{"allreduce", 2, 0, Seconds(1), 1e9},
                           {"allreduce", 4, 0, Seconds(2), 1e9},
                           {"allreduce", 4, 1000, Seconds(3), 1e9}};
    const auto latency = [&machine](std::vector<int> sizes, double bytes,
                                    sharding::CollectiveKind kind = sharding::CollectiveKind::all_reduce) {
        const auto *rate = measured_rate(kind, group(std::vector<int>{0}, sizes, machine), Bytes(bytes), machine);
        return rate == nullptr ? 0 : rate->latency.value;
    };
    EXPECT_EQ(latency({2}, 5000), 1);
    EXPECT_EQ(latency({3}, 1000), 2);
    EXPECT_EQ(latency({3}, 1001), 3);
    EXPECT_EQ(latency({4}, 1e9), 3);
    EXPECT_EQ(latency({8}, 1), 0) << "larger than what was measured";
    EXPECT_EQ(latency({16}, 1), 0) << "crosses two levels";
    EXPECT_EQ(latency({2}, 1, sharding::CollectiveKind::all_gather), 0);
}

} // namespace
} // namespace planc::cost
