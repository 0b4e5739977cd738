// Convolutions by taps against the sum of their definition; oneDNN's against those by taps; a rank's blocks against the
// whole. Numbers are small integers: every order of summation gives the same.
#include "convolutions.h"
#include "kernels/convolutions/convolution_primitive.h"
#include "kernels/libraries/onednn.h"

#include <planrt/layout.h>

#include <algorithm>
#include <array>

namespace planrt {
namespace {

/// Calls body(x index, y index, w index) for every product of the definition.
template <class Body> void for_each_product(const Convolution &conv, const Body &body) {
    const auto &[a, b, c] = conv.windows;
    const auto input = [](const WindowBlock &window, std::int64_t p, std::int64_t k) {
        const std::int64_t row = p * window.stride - window.padding + k * window.dilation;
        return row >= 0 && row < window.input ? row : -1;
    };
    for (std::int64_t n = 0; n < conv.batch; ++n)
        for (std::int64_t pa = 0; pa < a.output; ++pa)
            for (std::int64_t pb = 0; pb < b.output; ++pb)
                for (std::int64_t pc = 0; pc < c.output; ++pc)
                    for (std::int64_t ka = 0; ka < a.kernel; ++ka)
                        for (std::int64_t kb = 0; kb < b.kernel; ++kb)
                            for (std::int64_t kc = 0; kc < c.kernel; ++kc) {
                                const std::int64_t ra = input(a, pa, ka);
                                const std::int64_t rb = input(b, pb, kb);
                                const std::int64_t rc = input(c, pc, kc);
                                if (ra < 0 || rb < 0 || rc < 0)
                                    continue;
                                const std::int64_t x = ((n * a.input + ra) * b.input + rb) * c.input + rc;
                                const std::int64_t y = ((n * a.output + pa) * b.output + pb) * c.output + pc;
                                const std::int64_t w = (ka * b.kernel + kb) * c.kernel + kc;
                                for (std::int64_t g = 0; g < conv.groups; ++g)
                                    for (std::int64_t i = 0; i < conv.in; ++i)
                                        for (std::int64_t o = 0; o < conv.out; ++o)
                                            body(static_cast<std::size_t>((x * conv.groups + g) * conv.in + i),
                                                 static_cast<std::size_t>((y * conv.groups + g) * conv.out + o),
                                                 static_cast<std::size_t>(
                                                     ((w * conv.groups + g) * conv.in + i) * conv.out + o));
                            }
}

/// All three kinds by taps against the definition.
template <class T> void expect_defined(const Convolution &conv, Random &random) {
    SCOPED_TRACE(describe(conv));
    const Sizes sizes(conv);
    const auto x = numbers<T>(sizes.x, random);
    const auto w = numbers<T>(sizes.w, random);
    const auto dy = numbers<T>(sizes.y, random);
    std::vector<T> y(sizes.y, 0);
    std::vector<T> dx(sizes.x, 0);
    std::vector<T> dw(sizes.w, 0);
    for_each_product(conv, [&](std::size_t at_x, std::size_t at_y, std::size_t at_w) {
        y[at_y] += x[at_x] * w[at_w];
        dx[at_x] += dy[at_y] * w[at_w];
        dw[at_w] += x[at_x] * dy[at_y];
    });
    auto got_y = no_numbers<T>(sizes.y);
    auto got_dx = no_numbers<T>(sizes.x);
    auto got_dw = no_numbers<T>(sizes.w);
    convolution(conv, x.data(), w.data(), got_y.data());
    convolution_input_gradient(conv, dy.data(), w.data(), got_dx.data());
    convolution_weight_gradient(conv, x.data(), dy.data(), got_dw.data());
    EXPECT_EQ(got_y, y);
    EXPECT_EQ(got_dx, dx);
    EXPECT_EQ(got_dw, dw);
}

/// All three kinds on packed weights against those by taps.
void expect_packed(const Convolution &conv, Random &random) {
    SCOPED_TRACE(describe(conv));
    const Sizes sizes(conv);
    const auto [x, w, dy, y, dx, dw] = by_taps(conv, random);

    auto got_y = no_numbers<float>(sizes.y);
    auto packed = no_numbers<float>(sizes.packed);
    pack_weights(ConvolutionKind::forward, conv, w.data(), packed.data());
    EXPECT_TRUE(sizes.packed == 0 || !std::isnan(packed.back()));
    packed_convolution(conv, x.data(), packed.data(), got_y.data());
    EXPECT_EQ(got_y, y) << implementation(ConvolutionKind::forward, conv);

    auto got_dx = no_numbers<float>(sizes.x);
    packed = no_numbers<float>(sizes.packed);
    pack_weights(ConvolutionKind::input_gradient, conv, w.data(), packed.data());
    EXPECT_TRUE(sizes.packed == 0 || !std::isnan(packed.back()));
    packed_convolution_input_gradient(conv, dy.data(), packed.data(), got_dx.data());
    EXPECT_EQ(got_dx, dx) << implementation(ConvolutionKind::input_gradient, conv);

    auto got_dw = no_numbers<float>(sizes.w);
    packed = no_numbers<float>(sizes.packed);
    packed_convolution_weight_gradient(conv, x.data(), dy.data(), packed.data());
    EXPECT_TRUE(sizes.packed == 0 || !std::isnan(packed.back()));
    unpack_weights(conv, packed.data(), got_dw.data());
    EXPECT_EQ(got_dw, dw) << implementation(ConvolutionKind::weight_gradient, conv);
}

template <class T> void add(const std::vector<T> &from, std::vector<T> &to) {
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] += from[i];
}

/// What is added to numbers that are there is what is computed otherwise.
template <class T> void expect_added(const Convolution &conv, Random &random) {
    SCOPED_TRACE(describe(conv));
    const Sizes sizes(conv);
    const auto x = numbers<T>(sizes.x, random);
    const auto w = numbers<T>(sizes.w, random);
    const auto dy = numbers<T>(sizes.y, random);
    auto y = numbers<T>(sizes.y, random);
    auto dx = numbers<T>(sizes.x, random);
    auto dw = numbers<T>(sizes.w, random);
    auto got_y = y;
    auto got_dx = dx;
    auto got_dw = dw;
    add_convolution(conv, x.data(), w.data(), got_y.data());
    add_convolution_input_gradient(conv, dy.data(), w.data(), got_dx.data());
    add_convolution_weight_gradient(conv, x.data(), dy.data(), got_dw.data());
    std::vector<T> more_y(sizes.y);
    std::vector<T> more_dx(sizes.x);
    std::vector<T> more_dw(sizes.w);
    convolution(conv, x.data(), w.data(), more_y.data());
    convolution_input_gradient(conv, dy.data(), w.data(), more_dx.data());
    convolution_weight_gradient(conv, x.data(), dy.data(), more_dw.data());
    add(more_y, y);
    add(more_dx, dx);
    add(more_dw, dw);
    EXPECT_EQ(got_y, y);
    EXPECT_EQ(got_dx, dx);
    EXPECT_EQ(got_dw, dw);
}

/// A block of a random convolution of up to three dimensions: any padding, also one that leaves rows untouched.
Convolution random_block(Random &random, int most_channels) {
    Convolution conv{uniform(random, 1, 3),
                     uniform(random, 0, 2) == 0 ? uniform(random, 2, 5) : 1,
                     uniform(random, 0, 3) == 0 ? 1 : uniform(random, 1, most_channels),
                     uniform(random, 0, 3) == 0 ? 1 : uniform(random, 1, most_channels),
                     {}};
    const std::int64_t dimensions = uniform(random, 1, 3);
    for (std::int64_t d = 0; d < dimensions; ++d)
        conv.windows[d] = {uniform(random, 0, 9), uniform(random, 0, 7), uniform(random, 1, 4),
                           uniform(random, 1, 3), uniform(random, 1, 2), uniform(random, -2, 4)};
    return conv;
}

} // namespace

TEST_F(Convolutions, ByTapsAreTheDefinition) {
    for (int trial = 0; trial < 400 && !HasFailure(); ++trial) {
        const Convolution conv = random_block(random_, 4);
        expect_defined<double>(conv, random_);
        expect_defined<float>(conv, random_);
    }
}

TEST_F(Convolutions, HalosAddWhatTheyGive) {
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (int trial = 0; trial < 200 && !HasFailure(); ++trial) {
            Convolution conv = random_block(random_, 20);
            conv.windows[0].padding = uniform(random_, -9, 9);
            expect_added<double>(conv, random_);
            expect_added<float>(conv, random_);
        }
    }
}

TEST_F(Convolutions, ByTapsRunOnThreads) {
    set_thread_count(3);
    for (const Convolution &conv :
         {Convolution{5, 1, 16, 20, {window(20, 3, 1, 1, 1), window(21, 3, 2)}},
          Convolution{5, 40, 1, 1, {window(20, 3, 1, 1, 1), window(30, 3, 1, 1, 1)}},
          Convolution{1, 1, 30, 20, {window(20, 1), window(21, 1)}}, Convolution{1, 2, 30, 20, {window(4000, 2, 2)}}})
        expect_defined<double>(conv, random_);
}

TEST_F(Convolutions, PackedAreThoseByTaps) {
    for (int trial = 0; trial < 600 && !HasFailure(); ++trial)
        expect_packed(random_block(random_, 20), random_);
    for (int trial = 0; trial < 600 && !HasFailure(); ++trial) {
        Convolution conv = random_block(random_, 20);
        for (int d = 0; d < 2; ++d) {
            conv.windows[d].input = uniform(random_, 0, 30);
            conv.windows[d].output = uniform(random_, 0, 30);
            conv.windows[d].dilation = uniform(random_, 1, 7);
            conv.windows[d].padding = uniform(random_, -6, 12);
        }
        expect_packed(conv, random_);
    }
}

/// What networks are made of.
TEST_F(Convolutions, PackedOfOrdinaryShapes) {
    const WindowBlock same3 = window(12, 3, 1, 1, 1);
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (const Convolution &conv : {
                 Convolution{3, 1, 16, 32, {same3, same3}},
                 Convolution{3, 1, 3, 24, {window(31, 7, 2, 3, 3), window(31, 7, 2, 3, 3)}},
                 Convolution{2, 1, 3, 96, {window(35, 11, 4), window(35, 11, 4)}},
                 Convolution{2, 1, 10, 20, {window(12, 5), window(12, 5)}},
                 Convolution{2, 1, 64, 100, {window(7, 1), window(9, 1)}},
                 Convolution{2, 1, 32, 64, {window(8, 1, 2), window(7, 1, 2)}},
                 Convolution{2, 2, 48, 64, {window(13, 5, 1, 2, 2), window(13, 5, 1, 2, 2)}},
                 Convolution{2, 32, 1, 1, {same3, same3}},
                 Convolution{2, 37, 1, 1, {window(13, 3, 2, 1, 1), window(12, 3, 2, 1, 1)}},
                 Convolution{2, 6, 1, 2, {same3, same3}},
                 Convolution{2, 8, 4, 4, {same3, same3}},
                 Convolution{2, 1, 16, 16, {window(12, 3, 1, 2, 2, 2), window(12, 3, 1, 2, 2, 2)}},
                 Convolution{2, 1, 17, 33, {window(12, 1), window(12, 7, 1, 3, 3)}},
                 Convolution{2, 1, 16, 16, {window(40, 5, 2, 2, 2)}},
                 Convolution{2, 1, 8, 16, {window(6, 3, 1, 1, 1), window(6, 3, 1, 1, 1), window(6, 3, 1, 1, 1)}},
                 Convolution{2, 1, 8, 16, {window(1, 3, 1, 1, 1), window(9, 3, 1, 1, 1)}},
             })
            expect_packed(conv, random_);
    }
}

/// Sizes that dilations divide and do not, padding on one side, dilations of one dimension.
TEST_F(Convolutions, PackedOfDilations) {
    const auto same = [](std::int64_t extent, std::int64_t kernel, std::int64_t dilation) {
        const std::int64_t around = (kernel - 1) * dilation / 2;
        return window(extent, kernel, 1, around, around, dilation);
    };
    for (const int threads : {1, 3}) {
        set_thread_count(threads);
        for (const Convolution &conv : {
                 Convolution{2, 1, 16, 16, {same(64, 3, 4), same(48, 3, 8)}},
                 Convolution{3, 1, 5, 16, {same(61, 3, 5), same(75, 5, 3)}},
                 Convolution{2, 1, 16, 5, {same(40, 3, 1), same(70, 3, 7)}},
                 Convolution{2, 1, 8, 8, {window(50, 3, 1, 12, 0, 6), window(50, 3, 1, 0, 12, 6)}},
                 Convolution{2, 1, 8, 12, {window(50, 5, 2, 8, 8, 4), window(49, 3, 2, 3, 3, 3)}},
                 Convolution{2, 1, 8, 12, {window(50, 3, 3, 4, 0, 2), window(49, 3, 2, 9, 2)}},
                 Convolution{2, 24, 1, 1, {same(60, 3, 6), same(60, 3, 6)}},
                 Convolution{2, 3, 8, 16, {same(60, 3, 6), same(60, 3, 6)}},
                 Convolution{2, 1, 8, 8, {same(900, 7, 16)}},
                 Convolution{2, 1, 8, 8, {same(20, 3, 2), same(20, 3, 3), same(20, 3, 4)}},
                 Convolution{1, 1, 24, 24, {same(33, 3, 24), same(33, 3, 24)}},
             })
            expect_packed(conv, random_);
    }
}

/// By oneDNN's own kernels or by taps; its fallback takes several times as long.
TEST_F(Convolutions, DilatedAreNotOneDnnsFallback) {
    const WindowBlock dilated = window(64, 3, 1, 8, 8, 8);
    for (const std::int64_t channels : {4, 16, 32, 64})
        for (const auto kind :
             {ConvolutionKind::forward, ConvolutionKind::input_gradient, ConvolutionKind::weight_gradient})
            EXPECT_EQ(std::string(implementation(kind, {2, 1, channels, channels, {dilated, dilated}})).find("gemm"),
                      std::string::npos)
                << channels;
}

/// oneDNN's, which asks for room to work in.
TEST_F(Convolutions, PrimitivesKeepToTheirScratch) {
    constexpr std::int64_t behind = 1 << 19;
    constexpr unsigned char untouched = 0xA5;
    for (const std::int64_t channels : {1, 3, 4, 7, 9, 12, 16, 20})
        for (const std::int64_t kernel : {1, 3})
            for (const std::int64_t stride : {1, 2})
                for (const auto kind :
                     {ConvolutionKind::forward, ConvolutionKind::input_gradient, ConvolutionKind::weight_gradient}) {
                    const WindowBlock each = window(60, kernel, stride, 0, 0);
                    const Convolution conv{2, 1, channels, 20, {each, each}};
                    const ConvolutionPrimitive primitive(kind, conv);
                    if (!primitive)
                        continue;
                    reserve_kernel_scratch(primitive.scratch_bytes() + behind);
                    auto *const end = static_cast<unsigned char *>(kernel_scratch()) + primitive.scratch_bytes();
                    std::fill_n(end, behind, untouched);
                    auto [x, w, dy, y, dx, dw] = by_taps(conv, random_);
                    w.resize(Sizes(conv).packed);
                    if (kind == ConvolutionKind::forward)
                        primitive.execute(x.data(), w.data(), y.data());
                    else if (kind == ConvolutionKind::input_gradient)
                        primitive.execute(y.data(), w.data(), x.data());
                    else
                        primitive.execute(x.data(), y.data(), w.data());
                    EXPECT_EQ(std::count(end, end + behind, untouched), behind) << primitive.name() << describe(conv);
                }
}

/// By kernels that it makes for the processor ("jit:avx2", "brgconv:avx512_core"), not by products or a reference.
TEST_F(Convolutions, OrdinaryShapesAreOneDnns) {
    if (!onednn().loaded() || suitable_core_type() == nullptr)
        GTEST_SKIP() << "no oneDNN, or a processor without AVX2";
    const Convolution conv{3, 1, 16, 32, {window(12, 3, 1, 1, 1), window(12, 3, 1, 1, 1)}};
    for (const auto kind :
         {ConvolutionKind::forward, ConvolutionKind::input_gradient, ConvolutionKind::weight_gradient}) {
        const std::string name = implementation(kind, conv);
        EXPECT_TRUE(name.find("jit") == 0 || name.find("brg") == 0) << name;
    }
}

namespace {

/// Rows of one dimension that a rank has.
struct Part {
    Range input;
    Range output;
    /// The window's numbers in terms of these.
    [[nodiscard]] WindowBlock of(const WindowBlock &whole) const {
        return {input.size(), output.size(),  whole.kernel,
                whole.stride, whole.dilation, whole.padding + input.begin - output.begin * whole.stride};
    }
};

/// The rows [begin, end) of the first spatial dimension of (batch, rows, elements).
std::vector<double> rows(const std::vector<double> &all, std::int64_t batch, std::int64_t extent, Range part) {
    std::vector<double> result;
    const std::int64_t row = static_cast<std::int64_t>(all.size()) / batch / extent;
    for (std::int64_t n = 0; n < batch; ++n)
        for (std::int64_t i = part.begin * row; i < part.begin * row + part.size() * row; ++i)
            result.push_back(all[static_cast<std::size_t>(n * extent * row + i)]);
    return result;
}

/// The own rows, then those of the halo that lie before and behind, give what all together do.
void expect_in_parts(const Convolution &whole, const Part &part, Range own, const std::vector<double> &x,
                     const std::vector<double> &w, const std::vector<double> &y, const std::vector<double> &dy,
                     const std::vector<double> &dw) {
    std::vector<double> sum_y(y.size(), 0);
    std::vector<double> sum_dw(dw.size(), 0);
    for (const auto which : {WindowPart::within, WindowPart::before, WindowPart::behind}) {
        const Range touched_rows = part_of(part.input, which, own);
        Convolution local = whole;
        local.windows[0] = Part{touched_rows, part.output}.of(whole.windows[0]);
        const auto read = rows(x, whole.batch, whole.windows[0].input, touched_rows);
        add_convolution(local, read.data(), w.data(), sum_y.data());
        add_convolution_weight_gradient(local, read.data(), dy.data(), sum_dw.data());
    }
    EXPECT_EQ(sum_y, y);
    EXPECT_EQ(sum_dw, dw);
}

} // namespace

/// Rank by rank, with the halos that touched() says, each kind gives the rank's part of the whole.
TEST_F(Convolutions, BlocksWithHalosAreTheWhole) {
    for (int trial = 0; trial < 300 && !HasFailure(); ++trial) {
        const std::int64_t extent = uniform(random_, 1, 14);
        WindowBlock whole = window(extent, uniform(random_, 1, 4), uniform(random_, 1, 4), uniform(random_, 0, 3),
                                   uniform(random_, 0, 3), uniform(random_, 1, 2));
        if (whole.output < 1 || extent + whole.padding < (whole.kernel - 1) * whole.dilation + 1)
            continue;
        const Convolution conv{2, 1, 2, 3, {whole, window(4, 2)}};
        SCOPED_TRACE(describe(conv));
        const Sizes sizes(conv);
        const auto x = numbers<double>(sizes.x, random_);
        const auto w = numbers<double>(sizes.w, random_);
        const auto dy = numbers<double>(sizes.y, random_);
        std::vector<double> y(sizes.y);
        std::vector<double> dx(sizes.x);
        std::vector<double> dw(sizes.w);
        convolution(conv, x.data(), w.data(), y.data());
        convolution_input_gradient(conv, dy.data(), w.data(), dx.data());
        convolution_weight_gradient(conv, x.data(), dy.data(), dw.data());
        std::vector<double> sum(sizes.w, 0);
        const auto ranks = static_cast<int>(uniform(random_, 1, 4));
        for (int rank = 0; rank < ranks; ++rank) {
            const Window forwards{whole.output, whole.kernel, whole.stride, whole.dilation, whole.padding, false};
            Window backwards{extent, whole.kernel, whole.stride, whole.dilation, whole.padding, true};
            const Range positions = block({0, whole.output}, ranks, rank);
            Part part{touched(forwards, positions, extent), positions};
            Convolution local = conv;
            local.windows[0] = part.of(whole);
            const auto x_part = rows(x, conv.batch, extent, part.input);
            const auto dy_part = rows(dy, conv.batch, whole.output, part.output);
            auto y_part = no_numbers<double>(Sizes(local).y);
            auto dw_part = no_numbers<double>(sizes.w);
            convolution(local, x_part.data(), w.data(), y_part.data());
            convolution_weight_gradient(local, x_part.data(), dy_part.data(), dw_part.data());
            EXPECT_EQ(y_part, rows(y, conv.batch, whole.output, part.output)) << rank;
            expect_in_parts(conv, part, block({0, extent}, ranks, rank), x, w, y_part, dy_part, dw_part);
            add(dw_part, sum);

            part.input = block({0, extent}, ranks, rank);
            part.output = touched(backwards, part.input, whole.output);
            local.windows[0] = part.of(whole);
            auto dx_part = no_numbers<double>(Sizes(local).x);
            convolution_input_gradient(local, rows(dy, conv.batch, whole.output, part.output).data(), w.data(),
                                       dx_part.data());
            EXPECT_EQ(dx_part, rows(dx, conv.batch, extent, part.input)) << rank;
        }
        EXPECT_EQ(sum, dw);
    }
}

} // namespace planrt
