// Fits of made-up measurements: what made them is found again.
#include "calibrate/fit.h"
#include "calibrate/machine_text.h"
#include "cost/collectives/step_price.h"
#include "cost/kernels/convolutions.h"
#include "cost/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace planc::calibrate {
namespace {

using cost::Bytes;
using cost::Flops;
using cost::Seconds;
using planrt::ConvolutionKind;

const support::ProductRate true_product{90e9, {4, 6, 20}, Seconds(3e-7)};
const support::ProductRate true_convolution{80e9, {30, 3, 9}, Seconds(2e-6)};
const support::WinogradRate true_winograd{7e9, 3e9, Seconds(4e-6)};

cost::Machine true_memory() {
    cost::Machine machine;
    machine.memory_bytes_per_second = 9e9;
    machine.kernels.cache = support::CacheRate{6e6, 50e9};
    machine.kernels.loops = support::LoopRate{11e9, Seconds(2e-8)};
    machine.kernels.wide_vectors = false;
    return machine;
}

void add_products(Measurements &to) {
    for (const std::int64_t m : {16, 128, 1024})
        for (const std::int64_t n : {10, 256, 2048})
            for (const std::int64_t k : {32, 400, 2048}) {
                const cost::ProductShape shape{1, static_cast<double>(m), static_cast<double>(n),
                                               static_cast<double>(k)};
                to.all.push_back(
                    {"product", {m, n, k}, cost::product_seconds(true_product, shape, true_memory()).value, 0.02});
            }
}

void add_loops(Measurements &to) {
    const cost::Machine machine = true_memory();
    const auto seconds = [&machine](double flops, double bytes) {
        return cost::loop_seconds(*machine.kernels.loops, Flops(flops),
                                  cost::transfer_seconds(Bytes(bytes), Bytes(bytes), machine))
            .value;
    };
    for (const std::int64_t elements : {64, 4096, 65536, 524288, 2097152, 16777216}) {
        const auto n = static_cast<double>(elements);
        to.all.push_back({"update", {elements}, seconds(2 * n, 12 * n), 0.01});
        if (elements == 4096 || elements == 65536)
            to.all.push_back({"function", {elements}, seconds(10 * n, 8 * n), 0.01});
    }
}

Measurements of_kernels() {
    Measurements measurements{1, false, {}};
    add_products(measurements);
    add_loops(measurements);
    return measurements;
}

/// With a frame.
Measurement convolution(ConvolutionKind kind, std::int64_t in, std::int64_t out, std::int64_t extent,
                        std::int64_t kernel) {
    const std::int64_t padding = kernel / 2;
    const planrt::WindowBlock window{extent, extent, kernel, 1, 1, padding};
    const cost::ConvolutionShape shape{kind, {8, 1, in, out, {window, window}}};
    const cost::Machine machine = true_memory();
    double seconds = 0;
    switch (planrt::method_of(kind, shape.conv, /*avx512=*/false)) {
    case planrt::ConvolutionMethod::direct:
        seconds = cost::direct_seconds(true_convolution, cost::direct_products(shape), machine).value;
        break;
    case planrt::ConvolutionMethod::taps:
        seconds = cost::product_seconds(true_product, cost::tap_products(shape), machine).value;
        break;
    case planrt::ConvolutionMethod::winograd:
        seconds =
            (cost::product_seconds(true_product, cost::winograd_products(shape), machine) + true_winograd.call).value +
            cost::transform_bytes(shape.conv).activations / true_winograd.bytes_per_second;
        break;
    }
    return {"convolution",
            {static_cast<std::int64_t>(kind), 8, in, out, extent, extent, kernel, 1, padding},
            seconds,
            0.03};
}

TEST(Fit, FindsTheRateOfProducts) {
    Fit result;
    ASSERT_EQ(fit(of_kernels(), result), "");
    ASSERT_TRUE(result.machine.kernels.product);
    EXPECT_NEAR(result.machine.kernels.product->flops_per_second / 90e9, 1, 0.02);
    EXPECT_EQ(result.machine.flops_per_second, result.machine.kernels.product->flops_per_second);
    EXPECT_NEAR(result.machine.kernels.product->half[2] / 20, 1, 0.1);
    const Quality &quality = result.quality[1];
    EXPECT_EQ(quality.rate, "product");
    EXPECT_EQ(quality.count, 27U);
    EXPECT_LT(quality.most_error, 0.05);
    EXPECT_EQ(quality.noise, 0.02);
}

TEST(Fit, FindsMemoryAndCache) {
    Fit result;
    ASSERT_EQ(fit(of_kernels(), result), "");
    EXPECT_NEAR(result.machine.memory_bytes_per_second / 9e9, 1, 0.05);
    ASSERT_TRUE(result.machine.kernels.cache);
    EXPECT_NEAR(result.machine.kernels.cache->bytes_per_second / 50e9, 1, 0.05);
    ASSERT_TRUE(result.machine.kernels.loops);
    EXPECT_NEAR(result.machine.kernels.loops->flops_per_second / 11e9, 1, 0.05);
    EXPECT_LT(result.quality[0].most_error, 0.1);
}

TEST(Fit, FindsTheTimeOfRows) {
    Measurements measurements = of_kernels();
    cost::Machine machine = true_memory();
    machine.kernels.loops->rest = Seconds(3e-9);
    machine.kernels.loops->summed_rest = Seconds(9e-9);
    for (const bool summed : {false, true})
        for (const std::int64_t elements : {6, 64}) {
            const double n = 4096.0 * static_cast<double>(elements);
            const Bytes moved((summed ? 12 : 8) * n);
            const Seconds loop =
                cost::loop_seconds(*machine.kernels.loops, Flops(2 * n), cost::transfer_seconds(moved, moved, machine));
            const Seconds rows = cost::rows_seconds(*machine.kernels.loops, {4096, elements, summed});
            measurements.all.push_back({summed ? "row_sums" : "rows", {4096, elements}, (loop + rows).value, 0.01});
        }
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    ASSERT_TRUE(result.machine.kernels.loops);
    EXPECT_NEAR(result.machine.kernels.loops->rest.value / 3e-9, 1, 0.2);
    EXPECT_NEAR(result.machine.kernels.loops->summed_rest.value / 9e-9, 1, 0.1);
}

TEST(Fit, FindsTheRatesOfPoolsByTheKernelThatRunsThem) {
    Measurements measurements = of_kernels();
    const auto add = [&measurements](const char *kernel, std::int64_t channels, std::int64_t window, double rate) {
        const std::int64_t output = 8;
        const std::int64_t input = (output - 1) * 2 + window;
        const auto positions = static_cast<double>(4 * channels * output * output);
        const Bytes moved(4 * (static_cast<double>(4 * channels * input * input) + 2 * positions));
        const Seconds seconds =
            cost::pool_seconds({rate, 30, Seconds(1e-7)}, positions * static_cast<double>(window * window),
                               static_cast<double>(channels), cost::transfer_seconds(moved, moved, true_memory()));
        measurements.all.push_back({kernel, {4, channels, input, output, window, 2}, seconds.value, 0.01});
    };
    for (const std::int64_t channels : {6, 64, 256}) {
        add("pool", channels, 2, 6e9);
        add("pool", channels, 3, 6e9);
        add("pool_gradient", channels, 2, 4e9);
        add("pool_gradient", channels, 3, 2e9);
    }
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    const support::KernelRates &rates = result.machine.kernels;
    ASSERT_TRUE(rates.pool && rates.pool_gradient && rates.tiled_pool_gradient);
    EXPECT_NEAR(rates.pool->flops_per_second / 6e9, 1, 0.1);
    EXPECT_NEAR(rates.tiled_pool_gradient->flops_per_second / 4e9, 1, 0.1);
    EXPECT_NEAR(rates.pool_gradient->flops_per_second / 2e9, 1, 0.1);
    EXPECT_NEAR(rates.pool_gradient->half / 30, 1, 0.1);
}

TEST(Fit, TakesOneSlowShapeForWhatItIs) {
    Measurements measurements = of_kernels();
    const auto slow = std::ranges::find(measurements.all, "product", &Measurement::kernel);
    slow->seconds *= 2;
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    EXPECT_NEAR(result.machine.kernels.product->flops_per_second / 90e9, 1, 0.03);
}

TEST(Fit, FindsTheRatesOfConvolutionsByTheKernelThatRunsThem) {
    Measurements measurements = of_kernels();
    for (const auto kind : {ConvolutionKind::forward, ConvolutionKind::input_gradient})
        for (const std::int64_t channels : {8, 16, 64, 256})
            for (const std::int64_t extent : {14, 28}) {
                measurements.all.push_back(convolution(kind, channels, 2 * channels, extent, 7));
                measurements.all.push_back(convolution(kind, channels, 2 * channels, extent, 3));
            }
    const Measurement any = convolution(ConvolutionKind::forward, 64, 128, 28, 3);
    measurements.all.push_back({"winograd_weights", any.shape, 64.0 * 128 * (9 + 16) * 4 / 3e9, 0});
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    ASSERT_TRUE(result.machine.kernels.convolution);
    EXPECT_NEAR(result.machine.kernels.convolution->flops_per_second / 80e9, 1, 0.05);
    ASSERT_TRUE(result.machine.kernels.winograd);
    EXPECT_NEAR(result.machine.kernels.winograd->bytes_per_second / 7e9, 1, 0.05);
    EXPECT_NEAR(result.machine.kernels.winograd->weight_bytes_per_second / 3e9, 1, 1e-6);
    EXPECT_FALSE(result.machine.kernels.weight_gradient);
}

TEST(Fit, GivesCollectivesRangesWhereTheyAreLinear) {
    Measurements measurements = of_kernels();
    measurements.ranks = 4;
    for (const std::int64_t ranks : {4, 2})
        for (const std::int64_t bytes : {16777216, 64, 4096, 32768, 262144, 2097152}) {
            const auto n = static_cast<double>(bytes);
            const double scale = ranks == 4 ? 2 : 1; // slower above 32 KiB
            measurements.all.push_back(
                {"allreduce", {ranks, bytes}, scale * (2e-6 + n / 4e9 + (bytes > 32768 ? 30e-6 : 0)), 0.05});
        }
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    const std::vector<support::CollectiveRate> &rates = result.machine.collectives;
    ASSERT_GE(rates.size(), 4U);
    EXPECT_EQ(rates[0].collective, "allreduce");
    EXPECT_EQ(rates[0].ranks, 2);
    EXPECT_EQ(rates[0].above_bytes, 0);
    EXPECT_NEAR(rates[0].latency.value, 2e-6, 1e-8);
    EXPECT_NEAR(rates[0].bytes_per_second, 4e9, 1e8);
    for (std::size_t i = 1; i < rates.size(); ++i)
        EXPECT_TRUE(rates[i].ranks > rates[i - 1].ranks || rates[i].above_bytes > rates[i - 1].above_bytes);
    const sharding::Mesh mesh{{2}};
    const auto *large =
        cost::measured_rate(planrt::CollectiveKind::all_reduce,
                            cost::group(std::vector<int>{0}, mesh.sizes, result.machine), Bytes(2e6), result.machine);
    ASSERT_NE(large, nullptr);
    EXPECT_NEAR(large->latency.value + 2e6 / large->bytes_per_second, 32e-6 + 2e6 / 4e9, 5e-6);
    EXPECT_FALSE(result.network_measured);
}

/// What an all-reduce adds to products of 10 ms, of the 4 ms that it takes alone; of reduce-scatters nothing was
/// measured, all-gathers cannot add more than they take, and of the 40 ms of an all-to-all 10 can be hidden at most.
TEST(Fit, TellsWhatProcessorsDoOfCollectives) {
    Measurements measurements = of_kernels();
    measurements.ranks = 2;
    measurements.all.push_back({"products_beside", {2, 64}, 10e-3, 0.05});
    for (const char *kind : {"allreduce", "reduce_scatter", "allgather"})
        for (const std::int64_t bytes : {64, 16777216})
            measurements.all.push_back({kind, {2, bytes}, bytes == 64 ? 1e-6 : 4e-3, 0.05});
    for (const std::int64_t bytes : {64, 16777216})
        measurements.all.push_back({"alltoall", {2, bytes}, bytes == 64 ? 1e-6 : 40e-3, 0.05});
    measurements.all.push_back({"alltoall_beside", {2, 16777216}, 42e-3, 0.05});
    measurements.all.push_back({"products_beside", {4, 64}, 5e-3, 0.05}); // of another group
    measurements.all.push_back({"allreduce_beside", {2, 16777216}, 13e-3, 0.05});
    measurements.all.push_back({"allgather_beside", {2, 16777216}, 15e-3, 0.05});
    Fit result;
    ASSERT_EQ(fit(measurements, result), "");
    ASSERT_EQ(result.machine.collectives.size(), 4U);
    EXPECT_EQ(result.machine.collectives[0].processor, 0.75);
    EXPECT_EQ(result.machine.collectives[1].processor, 0);
    EXPECT_EQ(result.machine.collectives[2].processor, 1);
    EXPECT_EQ(result.machine.collectives[3].processor, 0.2);
    const std::string text = machine_text(result, "here", 1);
    EXPECT_NE(text.find("processor = 0.75)"), std::string::npos) << text;
}

TEST(Fit, NeedsProductsAndUpdates) {
    Fit result;
    EXPECT_EQ(fit({}, result), "products and updates were not measured");
}

TEST(MachineText, IsTheSameForTheSameMeasurements) {
    Fit a;
    Fit b;
    ASSERT_EQ(fit(of_kernels(), a), "");
    ASSERT_EQ(fit(of_kernels(), b), "");
    EXPECT_EQ(machine_text(a, "here", 1), machine_text(b, "here", 1));
}

} // namespace
} // namespace planc::calibrate
