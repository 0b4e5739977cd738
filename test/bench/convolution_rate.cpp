// Convolutions on one thread, f32: Gflop/s of the three kinds, packed (with what computes them) and by taps, as shares
// of sgemm's rate in the same run; and what the copies of weights cost, as a share of the convolution. The shapes are
// those of VGG and ResNet layers.
#include <planrt/planrt.h>
#include <planrt/winograd.h>

#include "kernels/libraries/blas.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using planrt::Convolution;
using planrt::ConvolutionKind;
using planrt::WindowBlock;

/// Median seconds of one call.
template <class Work> double seconds(const Work &work) {
    using Clock = std::chrono::steady_clock;
    constexpr int rounds = 9;
    std::vector<double> times;
    work();
    for (int round = 0; round < rounds; ++round) {
        const auto begin = Clock::now();
        work();
        times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[rounds / 2];
}

double sgemm_rate() {
    constexpr std::int64_t n = 1024;
    const std::vector<float> a(n * n, 0.5F);
    std::vector<float> c(n * n);
    const double time = seconds([&] {
        planrt::gemm(planrt::Op::plain, planrt::Op::plain, n, n, n, 1.0F, a.data(), n, a.data(), n, 0.0F, c.data(), n);
    });
    return 2 * static_cast<double>(n * n * n) / time;
}

struct Shape {
    const char *name;
    std::int64_t batch, in, extent, out, kernel, stride, padding;
    std::int64_t dilation = 1;
};

template <int window> void measure_winograd(const Convolution &conv, double work, double sgemm) {
    const std::vector<float> x(conv.batch * conv.windows[0].input * conv.windows[1].input * conv.in, 0.5F);
    const std::vector<float> w(window * window * conv.in * conv.out, 0.5F);
    std::vector<float> to_x(x.size());
    std::vector<float> to_y(conv.batch * conv.windows[0].output * conv.windows[1].output * conv.out, 0.5F);
    std::vector<float> packed(planrt::winograd_weights(window, 1, conv.in, conv.out));
    for (const auto kind : {ConvolutionKind::forward, ConvolutionKind::input_gradient})
        planrt::winograd_prepare<window>(kind, conv);
    const double pack =
        seconds([&] { planrt::winograd_pack<window>(ConvolutionKind::forward, conv, w.data(), packed.data()); });
    const double forward =
        seconds([&] { planrt::winograd_convolution<window>(conv, x.data(), packed.data(), to_y.data()); });
    const double input = seconds(
        [&] { planrt::winograd_convolution_input_gradient<window>(conv, to_y.data(), packed.data(), to_x.data()); });
    const double weight = seconds(
        [&] { planrt::winograd_convolution_weight_gradient<window>(conv, x.data(), to_y.data(), packed.data()); });
    std::printf("%-24s %s: forward %4.2f of sgemm  input %4.2f weight %4.2f; packing %4.1f %%\n", "",
                winograd_pays(conv) ? "winograd" : "(winograd)", work / forward / sgemm, work / input / sgemm,
                work / weight / sgemm, 100 * pack / forward);
}

void measure(const Shape &shape, double sgemm) {
    const std::int64_t output =
        (shape.extent + 2 * shape.padding - (shape.kernel - 1) * shape.dilation - 1) / shape.stride + 1;
    const WindowBlock window{shape.extent, output, shape.kernel, shape.stride, shape.dilation, shape.padding};
    const Convolution conv{shape.batch, 1, shape.in, shape.out, {window, window}};
    const std::int64_t taps = shape.kernel * shape.kernel;
    const std::vector<float> x(shape.batch * shape.extent * shape.extent * shape.in, 0.5F);
    const std::vector<float> y(shape.batch * output * output * shape.out, 0.5F);
    const std::vector<float> w(taps * shape.in * shape.out, 0.5F);
    std::vector<float> to_x(x.size());
    std::vector<float> to_y(y.size());
    std::vector<float> to_w(w.size());
    std::vector<float> packed(planrt::packed_weights(taps, 1, shape.in, shape.out));
    const double work = 2.0 * static_cast<double>(shape.batch * output * output * taps * shape.in * shape.out);
    const auto print = [&](const char *kind, const char *name, double fast, double copy, double by_taps) {
        std::printf("%-24s %-16s %-14s %6.1f Gflop/s  %4.2f of sgemm  weights' copy %4.1f %%  by taps %4.2f\n",
                    shape.name, kind, name, work / fast / 1e9, work / fast / sgemm, 100 * copy / fast,
                    work / by_taps / sgemm);
    };
    const auto packing = [&](ConvolutionKind kind) {
        return seconds([&] { pack_weights(kind, conv, w.data(), packed.data()); });
    };
    double copy = packing(ConvolutionKind::forward);
    print("forward", implementation(ConvolutionKind::forward, conv),
          seconds([&] { packed_convolution(conv, x.data(), packed.data(), to_y.data()); }), copy,
          seconds([&] { convolution(conv, x.data(), w.data(), to_y.data()); }));
    copy = packing(ConvolutionKind::input_gradient);
    print("input gradient", implementation(ConvolutionKind::input_gradient, conv),
          seconds([&] { packed_convolution_input_gradient(conv, y.data(), packed.data(), to_x.data()); }), copy,
          seconds([&] { convolution_input_gradient(conv, y.data(), w.data(), to_x.data()); }));
    const double fast = seconds([&] { packed_convolution_weight_gradient(conv, x.data(), y.data(), packed.data()); });
    copy = seconds([&] { unpack_weights(conv, packed.data(), to_w.data()); });
    print("weight gradient", implementation(ConvolutionKind::weight_gradient, conv), fast, copy,
          seconds([&] { convolution_weight_gradient(conv, x.data(), y.data(), to_w.data()); }));
    if (shape.dilation > 1)
        return;
    if (shape.kernel == 3 && shape.stride == 1)
        measure_winograd<3>(conv, work, sgemm);
    else if (shape.kernel == 5 && shape.stride == 1)
        measure_winograd<5>(conv, work, sgemm);
}

} // namespace

int main() {
    planrt::load_blas(1);
    const double sgemm = sgemm_rate();
    std::printf("sgemm %.1f Gflop/s\n", sgemm / 1e9);
    for (const Shape &shape : {Shape{"16x64x32^2, 64, 3x3", 16, 64, 32, 64, 3, 1, 1},
                               Shape{"16x128x16^2, 128, 3x3", 16, 128, 16, 128, 3, 1, 1},
                               Shape{"4x64x56^2, 64, 3x3", 4, 64, 56, 64, 3, 1, 1},
                               Shape{"4x256x14^2, 256, 3x3", 4, 256, 14, 256, 3, 1, 1},
                               Shape{"4x64x56^2, 256, 1x1", 4, 64, 56, 256, 1, 1, 0},
                               Shape{"4x3x224^2, 64, 7x7 / 2", 4, 3, 224, 64, 7, 2, 3},
                               Shape{"64x256x8^2, 256, 3x3", 64, 256, 8, 256, 3, 1, 1},
                               Shape{"64x512x4^2, 512, 3x3", 64, 512, 4, 512, 3, 1, 1},
                               Shape{"64x512x2^2, 512, 3x3", 64, 512, 2, 512, 3, 1, 1},
                               Shape{"32x64x32^2, 128, 3x3 / 2", 32, 64, 32, 128, 3, 2, 1},
                               Shape{"32x128x16^2, 256, 3x3 / 2", 32, 128, 16, 256, 3, 2, 1},
                               Shape{"16x96x27^2, 256, 5x5", 16, 96, 27, 256, 5, 1, 2},
                               Shape{"16x64x27^2, 192, 5x5", 16, 64, 27, 192, 5, 1, 2},
                               Shape{"16x48x35^2, 64, 5x5", 16, 48, 35, 64, 5, 1, 2},
                               Shape{"32x32x28^2, 32, 5x5", 32, 32, 28, 32, 5, 1, 2},
                               Shape{"64x128x7^2, 128, 5x5", 64, 128, 7, 128, 5, 1, 2},
                               Shape{"128x6x14^2, 16, 5x5", 128, 6, 14, 16, 5, 1, 0},
                               Shape{"16x3x227^2, 96, 11x11 / 4", 16, 3, 227, 96, 11, 4, 0},
                               Shape{"2x16x512^2, 16, 3x3", 2, 16, 512, 16, 3, 1, 1},
                               Shape{"2x16x512^2, 16, 3x3 dil 2", 2, 16, 512, 16, 3, 1, 2, 2},
                               Shape{"2x16x512^2, 16, 3x3 dil 4", 2, 16, 512, 16, 3, 1, 4, 4},
                               Shape{"2x16x512^2, 16, 3x3 dil 8", 2, 16, 512, 16, 3, 1, 8, 8},
                               Shape{"4x16x64^2, 16, 3x3", 4, 16, 64, 16, 3, 1, 1},
                               Shape{"4x16x64^2, 16, 3x3 dil 4", 4, 16, 64, 16, 3, 1, 4, 4},
                               Shape{"4x16x32^2, 16, 3x3 dil 12", 4, 16, 32, 16, 3, 1, 12, 12},
                               Shape{"2x4x128^2, 4, 3x3 dil 4", 2, 4, 128, 4, 3, 1, 4, 4},
                               Shape{"4x64x64^2, 64, 3x3 dil 8", 4, 64, 64, 64, 3, 1, 8, 8}})
        measure(shape, sgemm);
}
