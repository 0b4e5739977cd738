// The measurements of `planc calibrate`: kernels and collectives as emitted programs call them, by shape. They are
// compiled with the program, so that code in headers is compiled for the processor, as in emitted programs.
//
//   int main(int argc, char **argv) { return planrt::measure(argc, argv); }      // PROGRAM FILE SECONDS
//
// All ranks measure the same thing at the same time, because they share memory bandwidth and clock. Measurements take
// turns, round after round, so that a disturbance of the machine affects all of them alike. Each kernel runs between
// two runs of a known product, the reference; what counts is the ratio of its time to that of the reference.
#pragma once

#include <planrt/planrt.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace planrt {

/// The list of measurements, each with a name and a shape.
class Experiments {
  public:
    using Shape = std::vector<std::int64_t>;

    Experiments();
    Experiments(const Experiments &) = delete;
    Experiments &operator=(const Experiments &) = delete;
    ~Experiments();

    /// Measures `work` in processor time; `work` may be called any number of times.
    void add(const std::string &kernel, Shape shape, std::function<void()> work);
    /// The same for a kernel whose price depends on the reuse distance of its operands
    /// (cost/kernels/reuse_distances.h): they are left where the previous call left them.
    void add_warm(const std::string &kernel, Shape shape, std::function<void()> work);
    /// The same for work that waits for other ranks, in wall-clock time. The first `ranks` ranks take part; on the
    /// others `work` does nothing. Shape: ranks, bytes (for products_beside: the number of products).
    void add_collective(const std::string &kind, Shape shape, int ranks, std::function<void()> work);
    /// The reference, a kernel; must be set before run().
    void set_reference(Shape shape, std::function<void()> work);
    /// A buffer of f32, 64-byte aligned, on huge pages like a program's arena. Experiments share buffers: numbers 0, 1,
    /// 2, … are different ones.
    [[nodiscard]] float *buffer(int number, std::int64_t elements);

    /// Runs everything for about this many seconds, at least three rounds. Collective over the world.
    void run(double seconds);
    /// Rank 0 writes {"ranks": …, "avx512": …, "measurements": [{"kernel", "shape", "seconds", "spread"}, …]}. The
    /// seconds of a kernel are, on the median rank, the median over the half of the rounds in which the reference was
    /// fastest, scaled to the reference's median. Those of the reference ("reference") are the median of all rounds,
    /// and those of a collective the lower quartile. The spread is that of the middle half of the rounds, as a share.
    /// Collective over the world. Errors: Failure.
    void write(const std::string &path) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Starts MPI, loads the libraries, lets `add` describe the kernels, adds the collectives, measures, and writes.
/// Returns the exit code: 0 done, 1 failure, 2 wrong usage.
int run_experiments(int argc, char **argv, void (*add)(Experiments &));

namespace measuring {

/// `beta`: the factor of C in the result.
inline void add_product(Experiments &experiments, Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k,
                        float beta = 0) {
    const float *a = experiments.buffer(0, m * k);
    const float *b = experiments.buffer(1, k * n);
    float *c = experiments.buffer(2, m * n);
    experiments.add("product", {m, n, k}, [=] {
        gemm(a_op, b_op, m, n, k, 1.0F, a, a_op == Op::plain ? k : m, b, b_op == Op::plain ? n : k, beta, c, n);
    });
}

/// Forward, input-gradient and weight-gradient products of dense layers, large and small, and of attention. The weight
/// gradients of large layers are added to a momentum.
inline void add_products(Experiments &experiments) {
    struct Layer {
        std::int64_t batch, in, out;
    };
    for (const Layer &layer : std::initializer_list<Layer>{{128, 784, 2048},
                                                           {128, 2048, 2048},
                                                           {128, 2048, 10},
                                                           {32, 4096, 1024},
                                                           {64, 512, 512},
                                                           {512, 256, 1024},
                                                           {1024, 1024, 256},
                                                           {1024, 256, 1024},
                                                           {512, 768, 3072},
                                                           {1024, 256, 256},
                                                           {1024, 256, 96},
                                                           {128, 400, 120},
                                                           {128, 120, 84},
                                                           {16, 1024, 1024},
                                                           {16, 4096, 4096},
                                                           {128, 4096, 4096}}) {
        constexpr std::int64_t large = std::int64_t{4096} * 4096;
        add_product(experiments, Op::plain, Op::plain, layer.batch, layer.out, layer.in);
        add_product(experiments, Op::plain, Op::transposed, layer.batch, layer.in, layer.out);
        add_product(experiments, Op::transposed, Op::plain, layer.in, layer.out, layer.batch,
                    layer.in * layer.out < large ? 0.0F : 0.9F);
    }
    for (const std::int64_t feature : {32, 64}) {
        add_product(experiments, Op::plain, Op::transposed, 128, 128, feature);
        add_product(experiments, Op::plain, Op::plain, 128, feature, 128);
        add_product(experiments, Op::transposed, Op::plain, 128, feature, 128);
    }
}

struct ConvolutionLayer {
    std::int64_t batch, in, out, extent, kernel, stride, padding;
};

inline Convolution convolution_of(const ConvolutionLayer &layer) {
    const std::int64_t output = (layer.extent + 2 * layer.padding - layer.kernel) / layer.stride + 1;
    const WindowBlock window{layer.extent, output, layer.kernel, layer.stride, 1, layer.padding};
    return {layer.batch, 1, layer.in, layer.out, {window, window}};
}

/// kind, batch, in, out, input, output, kernel, stride, padding; height as width.
inline Experiments::Shape shape_of(ConvolutionKind kind, const ConvolutionLayer &layer) {
    return {static_cast<std::int64_t>(kind),         layer.batch,  layer.in,     layer.out,    layer.extent,
            convolution_of(layer).windows[0].output, layer.kernel, layer.stride, layer.padding};
}

struct ConvolutionBuffers {
    float *x;
    float *y;
    float *packed;

    ConvolutionBuffers(Experiments &experiments, const Convolution &conv, std::int64_t packed_elements)
        : x(experiments.buffer(0, conv.batch * conv.windows[0].input * conv.windows[1].input * conv.in)),
          y(experiments.buffer(1, conv.batch * conv.windows[0].output * conv.windows[1].output * conv.out)),
          packed(experiments.buffer(2, packed_elements)) {}
};

/// Calls the kernel of the kind.
template <class Forward, class Input, class Weight>
void add_kind(Experiments &experiments, ConvolutionKind kind, const ConvolutionLayer &layer, const Forward &forward,
              const Input &input, const Weight &weight) {
    const Experiments::Shape shape = shape_of(kind, layer);
    if (kind == ConvolutionKind::forward)
        experiments.add("convolution", shape, forward);
    else if (kind == ConvolutionKind::input_gradient)
        experiments.add("convolution", shape, input);
    else
        experiments.add("convolution", shape, weight);
}

template <int window> void add_winograd(Experiments &experiments, ConvolutionKind kind, const ConvolutionLayer &layer) {
    const Convolution conv = convolution_of(layer);
    const ConvolutionBuffers b(experiments, conv, winograd_weights(window, 1, layer.in, layer.out));
    winograd_prepare<window>(kind, conv);
    add_kind(
        experiments, kind, layer, [=] { winograd_convolution<window>(conv, b.x, b.packed, b.y); },
        [=] { winograd_convolution_input_gradient<window>(conv, b.y, b.packed, b.x); },
        [=] { winograd_convolution_weight_gradient<window>(conv, b.x, b.y, b.packed); });
    float *weights = experiments.buffer(3, window * window * layer.in * layer.out);
    if (kind == ConvolutionKind::forward)
        experiments.add("winograd_weights", shape_of(kind, layer),
                        [=] { winograd_pack<window>(kind, conv, weights, b.packed); });
    else if (kind == ConvolutionKind::weight_gradient)
        experiments.add("winograd_weights", shape_of(kind, layer),
                        [=] { winograd_unpack<window>(conv, b.packed, weights); });
}

inline void add_packed(Experiments &experiments, ConvolutionKind kind, const ConvolutionLayer &layer) {
    const Convolution conv = convolution_of(layer);
    const ConvolutionBuffers b(experiments, conv, packed_weights(layer.kernel * layer.kernel, 1, layer.in, layer.out));
    prepare(kind, conv);
    add_kind(
        experiments, kind, layer, [=] { packed_convolution(conv, b.x, b.packed, b.y); },
        [=] { packed_convolution_input_gradient(conv, b.y, b.packed, b.x); },
        [=] { packed_convolution_weight_gradient(conv, b.x, b.y, b.packed); });
}

inline void add_convolution(Experiments &experiments, ConvolutionKind kind, const ConvolutionLayer &layer) {
    if (!winograd_pays(convolution_of(layer)))
        return add_packed(experiments, kind, layer);
    return layer.kernel == 5 ? add_winograd<5>(experiments, kind, layer) : add_winograd<3>(experiments, kind, layer);
}

inline void add_convolutions(Experiments &experiments) {
    for (const ConvolutionLayer &layer : std::initializer_list<ConvolutionLayer>{{128, 1, 6, 28, 5, 1, 2},
                                                                                 {128, 6, 16, 14, 5, 1, 0},
                                                                                 {8, 3, 64, 112, 7, 2, 3},
                                                                                 {4, 3, 64, 224, 11, 4, 2},
                                                                                 {4, 3, 96, 227, 11, 4, 0},
                                                                                 {8, 64, 192, 27, 5, 1, 2},
                                                                                 {16, 3, 64, 32, 3, 1, 1},
                                                                                 {16, 64, 128, 16, 3, 1, 1},
                                                                                 {16, 128, 256, 8, 3, 1, 1},
                                                                                 {16, 256, 512, 4, 3, 1, 1},
                                                                                 {16, 512, 512, 2, 3, 1, 1},
                                                                                 {8, 192, 384, 13, 3, 1, 1},
                                                                                 {4, 64, 64, 56, 3, 1, 1},
                                                                                 {4, 64, 256, 28, 1, 1, 0},
                                                                                 {4, 256, 64, 28, 1, 1, 0},
                                                                                 {8, 64, 128, 28, 3, 2, 1}})
        for (const auto kind :
             {ConvolutionKind::forward, ConvolutionKind::input_gradient, ConvolutionKind::weight_gradient})
            if (kind != ConvolutionKind::input_gradient || layer.in > 3) // data need none
                add_convolution(experiments, kind, layer);
}

/// Shape: batch, channels, input, output, kernel, stride; height as width.
inline void add_pool(Experiments &experiments, std::int64_t batch, std::int64_t channels, std::int64_t extent,
                     std::int64_t kernel, std::int64_t stride) {
    const std::int64_t output = (extent - kernel) / stride + 1;
    const WindowBlock window{extent, output, kernel, stride, 1, 0};
    const Pool pool{batch, channels, {window, window}};
    float *x = experiments.buffer(0, batch * extent * extent * channels);
    float *y = experiments.buffer(1, batch * output * output * channels);
    auto *numbers = reinterpret_cast<std::int32_t *>(experiments.buffer(2, batch * output * output * channels));
    std::fill_n(numbers, batch * output * output * channels, 0);
    const Experiments::Shape shape{batch, channels, extent, output, kernel, stride};
    experiments.add_warm("pool", shape, [=] { max_pool(pool, x, y, numbers); });
    experiments.add_warm("pool_gradient", shape, [=] { max_pool_gradient(pool, y, numbers, x); });
}

/// Shape: elements. Work like that of emitted loops: an update that reads two vectors and writes one of them, and a
/// pointwise function.
inline void add_loops(Experiments &experiments, bool functions, std::int64_t elements) {
    float *a = experiments.buffer(0, elements);
    const float *b = experiments.buffer(1, elements);
    if (functions)
        experiments.add_warm("function", {elements}, [=] {
#pragma omp simd
            for (std::int64_t i = 0; i < elements; ++i)
                a[i] = exp(b[i]);
        });
    else
        experiments.add_warm("update", {elements}, [=] {
#pragma omp simd
            for (std::int64_t i = 0; i < elements; ++i)
                a[i] = a[i] - b[i] * 1e-9F;
        });
}

/// Shape: rows, elements of each. Work like that of emitted loops after a convolution: a bias and relu; the gradient of
/// relu, and its sums, which are the gradient of the bias. The number of elements is a compile-time constant, as in
/// emitted programs.
template <std::int64_t elements> void add_rows(Experiments &experiments, std::int64_t rows) {
    float *y = experiments.buffer(0, rows * elements);
    const float *dy = experiments.buffer(1, rows * elements);
    float *b = experiments.buffer(2, elements);
    experiments.add_warm("rows", {rows, elements}, [=] {
        parallel(0, rows, grain(elements), [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
#pragma omp simd
                for (std::int64_t j = 0; j < elements; ++j)
                    y[i * elements + j] = std::max(y[i * elements + j] + b[j], 0.0F);
            }
        });
    });
    float *sums = experiments.buffer(3, elements);
    float *relu = experiments.buffer(4, rows * elements); // of either sign, as it comes
    std::uint32_t random = 1;
    for (std::int64_t i = 0; i < rows * elements; ++i) {
        random = random * 1664525U + 1013904223U; // Numerical Recipes
        relu[i] = random >> 31U == 0 ? 0.0F : 0.5F;
    }
    experiments.add_warm("row_sums", {rows, elements}, [=] {
        std::fill_n(sums, elements, 0.0F);
        parallel(0, elements, grain(rows), [=](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = 0; i < rows; ++i) {
#pragma omp simd
                for (std::int64_t j = begin; j < end; ++j) {
                    const float read = dy[i * elements + j];
                    const float passed = relu[i * elements + j] > 0.0F ? read : 0.0F;
                    sums[j] += passed;
                    relu[i * elements + j] = passed;
                }
            }
        });
    });
}

inline void add_reference(Experiments &experiments) {
    constexpr std::int64_t n = reference_product;
    const float *a = experiments.buffer(0, n * n);
    const float *b = experiments.buffer(1, n * n);
    float *c = experiments.buffer(2, n * n);
    experiments.set_reference({n}, [=] {
        for (int i = 0; i < 2; ++i)
            gemm(Op::plain, Op::plain, n, n, n, 1.0F, a, n, b, n, 0.0F, c, n);
    });
}

inline void add_kernels(Experiments &experiments) {
    add_reference(experiments);
    add_products(experiments);
    add_convolutions(experiments);
    add_pool(experiments, 128, 6, 28, 2, 2);
    add_pool(experiments, 16, 64, 32, 2, 2);
    add_pool(experiments, 16, 256, 8, 2, 2);
    add_pool(experiments, 8, 64, 55, 3, 2);
    add_pool(experiments, 8, 96, 27, 3, 2);
    add_pool(experiments, 8, 256, 13, 3, 2);
    for (const std::int64_t elements : {64, 4'096, 65'536, 524'288, 2'097'152, 16'777'216})
        add_loops(experiments, /*functions=*/false, elements);
    add_loops(experiments, /*functions=*/true, 4'096);
    add_loops(experiments, /*functions=*/true, 65'536);
    add_rows<6>(experiments, 65'536);
    add_rows<12>(experiments, 65'536);
    add_rows<20>(experiments, 16'384);
    add_rows<64>(experiments, 16'384);
}

} // namespace measuring

inline int measure(int argc, char **argv) {
    return run_experiments(argc, argv, measuring::add_kernels);
}

} // namespace planrt
