#include "calibrate/fit.h"

#include "calibrate/fit_collectives.h"
#include "calibrate/minimise.h"
#include "cost/kernels/convolutions.h"
#include "cost/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace planc::calibrate {

using cost::Bytes;
using cost::Flops;
using cost::Seconds;
using planrt::ConvolutionKind;
using planrt::ConvolutionMethod;

namespace {

constexpr double f32 = sizeof(float);

/// Converts the shape that planrt/measure.h documents.
cost::ConvolutionShape convolution_of(const Measurement &each) {
    const std::vector<std::int64_t> &s = each.shape;
    const planrt::WindowBlock window{s[4], s[5], s[6], s[7], 1, s[8]};
    return {static_cast<ConvolutionKind>(std::min<std::int64_t>(s[0], 2)), {s[1], 1, s[2], s[3], {window, window}}};
}

cost::ProductShape product_of(const Measurement &each) {
    return {1, static_cast<double>(each.shape[0]), static_cast<double>(each.shape[1]),
            static_cast<double>(each.shape[2])};
}

double median(std::vector<double> values) {
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

class Fitting {
  public:
    Fitting(const Measurements &measurements, Fit &result) : measurements_(measurements), result_(result) {
        kernels().wide_vectors = measurements.avx512;
    }

    std::string run() {
        if (measurements_.of("product").empty() || measurements_.of("update").empty())
            return "products and updates were not measured";
        fit_memory();
        fit_products();
        fit_convolutions();
        fit_winograd();
        fit_pools();
        for (const Measurement &each : measurements_.of("reference"))
            kernels().reference = Seconds(each.seconds);
        fit_collectives(measurements_, result_);
        return {};
    }

  private:
    using Predict = std::function<double(const Measurement &)>;

    support::KernelRates &kernels() { return result_.machine.kernels; }

    /// Squares for small errors, linear for large ones (Huber's loss, smooth): a kernel that is slow at one shape says
    /// nothing about the others.
    static double errors(const std::vector<Measurement> &all, const Predict &predict) {
        constexpr double small = 0.1;
        double sum = 0;
        for (const Measurement &each : all) {
            const double off = std::log(predict(each) / each.seconds) / small;
            sum += 2 * small * small * (std::sqrt(1 + off * off) - 1);
        }
        return sum;
    }

    /// The distance from the start of the search. It decides what the measurements leave open.
    static double distance(const std::vector<double> &tried, const std::vector<double> &first) {
        constexpr double pull = 1e-3;
        double sum = 0;
        for (std::size_t i = 0; i < tried.size(); ++i)
            sum += pull * std::pow(std::log(tried[i] / first[i]), 2);
        return sum;
    }

    void judge(const std::string &rate, const std::vector<Measurement> &all, const Predict &predict) {
        std::vector<double> errors;
        std::vector<double> spreads;
        for (const Measurement &each : all) {
            errors.push_back(std::abs(predict(each) / each.seconds - 1));
            spreads.push_back(each.spread);
        }
        result_.quality.push_back(
            {rate, all.size(), median(errors), *std::ranges::max_element(errors), median(spreads)});
    }

    /// An update reads two vectors and writes one; a function of the table (ir/pointwise.cpp) counts ten operations.
    void fit_memory() {
        constexpr double operations_of_exp = 10;
        const std::vector<Measurement> updates = measurements_.of("update");
        const std::vector<Measurement> functions = measurements_.of("function");
        cost::Machine &machine = result_.machine;
        const auto largest = std::ranges::max(updates, {}, [](const Measurement &each) { return each.shape[0]; });
        const auto bytes = [](const Measurement &each) { return Bytes(3 * f32 * static_cast<double>(each.shape[0])); };
        const auto set = [&machine](const std::vector<double> &p) {
            machine.memory_bytes_per_second = p[0];
            machine.kernels.cache = {p[1], std::max(p[2], p[0])};
            machine.kernels.loops = support::LoopRate{p[3], Seconds(p[4])};
        };
        const Predict predict = [&](const Measurement &each) {
            const bool function = each.kernel == "function";
            const auto elements = static_cast<double>(each.shape[0]);
            const Bytes moved = function ? Bytes(2 * f32 * elements) : bytes(each);
            return cost::loop_seconds(*machine.kernels.loops, Flops((function ? operations_of_exp : 2) * elements),
                                      cost::transfer_seconds(moved, moved, machine))
                .value;
        };
        std::vector<Measurement> all = updates;
        all.insert(all.end(), functions.begin(), functions.end());
        const double memory = bytes(largest).value / largest.seconds;
        const std::vector<double> first{memory, 4e6, 4 * memory, 1e10, 1e-8};
        std::vector<double> p = first;
        minimise(p, [&](const std::vector<double> &tried) {
            set(tried);
            return errors(all, predict) + distance(tried, first);
        });
        set(p);
        judge("loops", all, predict);
        fit_rows("rows", &support::LoopRate::rest);
        fit_rows("row_sums", &support::LoopRate::summed_rest);
    }

    /// Shape: rows, elements of each. Two operations per element; a loop that adds to sums reads two tensors and writes
    /// one.
    void fit_rows(const char *kernel, Seconds support::LoopRate::*time) {
        const std::vector<Measurement> all = measurements_.of(kernel);
        if (all.empty())
            return;
        support::LoopRate &rate = *kernels().loops;
        const bool summed = time == &support::LoopRate::summed_rest;
        const auto predict = [&](const Measurement &each) {
            const auto rows = static_cast<double>(each.shape[0]);
            const double elements = rows * static_cast<double>(each.shape[1]);
            const Bytes moved((summed ? 3 : 2) * f32 * elements);
            const Seconds loop =
                cost::loop_seconds(rate, Flops(2 * elements), cost::transfer_seconds(moved, moved, result_.machine));
            return (loop + cost::rows_seconds(rate, {rows, each.shape[1], summed})).value;
        };
        std::vector<double> p{1e-9};
        minimise(p, [&](const std::vector<double> &tried) {
            rate.*time = Seconds(tried[0]);
            return errors(all, predict);
        });
        rate.*time = Seconds(p[0]);
        judge(kernel, all, predict);
    }

    using PredictBy = std::function<Seconds(const support::ProductRate &, const Measurement &)>;

    support::ProductRate fit_product(const std::vector<Measurement> &all, const support::ProductRate &begin,
                                     const PredictBy &predict) {
        const std::vector<double> first{begin.flops_per_second, std::max(begin.half[0], 0.1),
                                        std::max(begin.half[1], 0.1), std::max(begin.half[2], 0.1),
                                        std::max(begin.call.value, 1e-9)};
        const auto rate = [](const std::vector<double> &p) {
            return support::ProductRate{p[0], {p[1], p[2], p[3]}, Seconds(p[4])};
        };
        std::vector<double> p = first;
        minimise(p, [&](const std::vector<double> &tried) {
            const double error = errors(all, [&](const Measurement &each) { return predict(rate(tried), each).value; });
            return error + distance(tried, first);
        });
        return rate(p);
    }

    /// Convolutions by taps are products too.
    void fit_products() {
        std::vector<Measurement> all = measurements_.of("product");
        double fastest = 0;
        for (const Measurement &each : all)
            fastest = std::max(fastest, 2.0 * static_cast<double>(each.shape[0]) * static_cast<double>(each.shape[1]) *
                                            static_cast<double>(each.shape[2]) / each.seconds);
        const std::vector<Measurement> taps = convolutions(ConvolutionMethod::taps, false, /*both=*/true);
        all.insert(all.end(), taps.begin(), taps.end());
        const PredictBy predict = [this](const support::ProductRate &rate, const Measurement &each) {
            const cost::ProductShape shape =
                each.kernel == "product" ? product_of(each) : cost::tap_products(convolution_of(each));
            return cost::product_seconds(rate, shape, result_.machine);
        };
        const support::ProductRate rate = fit_product(all, {fastest, {8, 8, 8}, Seconds(1e-7)}, predict);
        kernels().product = rate;
        result_.machine.flops_per_second = rate.flops_per_second;
        judge("product", all, [&](const Measurement &each) { return predict(rate, each).value; });
    }

    [[nodiscard]] std::vector<Measurement> convolutions(ConvolutionMethod method, bool weight_gradient,
                                                        bool both = false) const {
        std::vector<Measurement> result;
        for (const Measurement &each : measurements_.of("convolution")) {
            const cost::ConvolutionShape shape = convolution_of(each);
            const bool weights = shape.kind == ConvolutionKind::weight_gradient;
            if (planrt::method_of(shape.kind, shape.conv, measurements_.avx512) == method &&
                (both || weights == weight_gradient))
                result.push_back(each);
        }
        return result;
    }

    void fit_convolutions() {
        const PredictBy predict = [this](const support::ProductRate &rate, const Measurement &each) {
            return cost::direct_seconds(rate, cost::direct_products(convolution_of(each)), result_.machine);
        };
        const auto fit_one = [&](const char *name, bool weights, std::optional<support::ProductRate> &rate) {
            const std::vector<Measurement> all = convolutions(ConvolutionMethod::direct, weights);
            if (all.empty())
                return;
            rate = fit_product(all, *kernels().product, predict);
            judge(name, all, [&](const Measurement &each) { return predict(*rate, each).value; });
        };
        fit_one("convolution", false, kernels().convolution);
        fit_one("weight_gradient", true, kernels().weight_gradient);
    }

    void fit_winograd() {
        const std::vector<Measurement> all = convolutions(ConvolutionMethod::winograd, false, /*both=*/true);
        std::vector<double> rates;
        for (const Measurement &each : measurements_.of("winograd_weights"))
            rates.push_back(cost::transform_bytes(convolution_of(each).conv).weights / each.seconds);
        if (all.empty() || rates.empty())
            return;
        const auto predict = [this](const support::WinogradRate &rate, const Measurement &each) {
            const cost::ConvolutionShape shape = convolution_of(each);
            return (cost::product_seconds(*kernels().product, cost::winograd_products(shape), result_.machine) +
                    rate.call)
                       .value +
                   cost::transform_bytes(shape.conv).activations / rate.bytes_per_second;
        };
        support::WinogradRate rate{result_.machine.memory_bytes_per_second, median(rates), Seconds(1e-6)};
        const std::vector<double> first{rate.bytes_per_second, rate.call.value};
        std::vector<double> p = first;
        const auto set = [&rate](const std::vector<double> &tried) {
            rate.bytes_per_second = tried[0];
            rate.call = Seconds(tried[1]);
        };
        minimise(p, [&](const std::vector<double> &tried) {
            set(tried);
            return errors(all, [&](const Measurement &each) { return predict(rate, each); }) + distance(tried, first);
        });
        set(p);
        kernels().winograd = rate;
        judge("winograd", all, [&](const Measurement &each) { return predict(rate, each); });
    }

    void fit_pools() {
        const auto tiled = [](const Measurement &each) { return each.shape[4] == each.shape[5]; };
        std::vector<Measurement> gradients = measurements_.of("pool_gradient");
        const auto others = std::ranges::stable_partition(gradients, tiled).begin();
        fit_pool("pool", measurements_.of("pool"), kernels().pool);
        fit_pool("tiled_pool_gradient", {gradients.begin(), others}, kernels().tiled_pool_gradient);
        fit_pool("pool_gradient", {others, gradients.end()}, kernels().pool_gradient);
    }

    /// One operation counts for each element of each window. The pooled tensor, the result and its argmax are read or
    /// written.
    void fit_pool(const char *name, const std::vector<Measurement> &all, std::optional<support::PoolRate> &result) {
        if (all.empty())
            return;
        const auto rate = [](const std::vector<double> &p) { return support::PoolRate{p[0], p[2], Seconds(p[1])}; };
        const auto predict = [&](const std::vector<double> &p, const Measurement &each) {
            const auto size = [&each](std::size_t i) { return static_cast<double>(each.shape[i]); };
            const double positions = size(0) * size(1) * size(3) * size(3);
            const Bytes moved(f32 * (size(0) * size(1) * size(2) * size(2) + 2 * positions));
            return cost::pool_seconds(rate(p), positions * size(4) * size(4), size(1),
                                      cost::transfer_seconds(moved, moved, result_.machine))
                .value;
        };
        const std::vector<double> first{5e9, 1e-7, 4};
        std::vector<double> p = first;
        minimise(p, [&](const std::vector<double> &tried) {
            return errors(all, [&](const Measurement &each) { return predict(tried, each); }) + distance(tried, first);
        });
        result = rate(p);
        judge(name, all, [&](const Measurement &each) { return predict(p, each); });
    }

    const Measurements &measurements_;
    Fit &result_;
};

} // namespace

std::string fit(const Measurements &measurements, Fit &result) {
    return Fitting(measurements, result).run();
}

} // namespace planc::calibrate
