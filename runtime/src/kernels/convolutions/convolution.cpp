// Convolutions by taps: for every element of the window, one matrix product over a row of positions, in place. A row
// consists of the positions along the last dimension, or of one position in all samples if there are more samples.
// Channels are the columns; a stride is a stride between rows. Neighbouring dimensions over which no window moves,
// samples included, are merged: a 1x1 convolution is one product.
#include <planrt/convolution.h>
#include <planrt/parallel.h>

#include <planrt/multiply.h>

#include <algorithm>
#include <array>

namespace planrt {

namespace {

constexpr int most_dimensions = most_windows + 1; // with the samples

bool is_plain(const WindowBlock &window) {
    return window.input == window.output && window.kernel == 1 && window.stride == 1 && window.padding == 0;
}

/// One row of positions under one tap: its beginning in x and in y, in positions.
struct Row {
    std::int64_t input;
    std::int64_t output;
    std::int64_t tap;
    std::int64_t count;
};

/// The dimensions of a convolution, samples first; at least one. One of them forms the rows of matrices.
class Dimensions {
  public:
    explicit Dimensions(const Convolution &conv) {
        add({conv.batch, conv.batch, 1, 1, 1, 0});
        for (const WindowBlock &window : conv.windows)
            add(window);
        constexpr std::int64_t long_enough = 16; // positions next to each other
        const std::int64_t length = dimensions_[count_ - 1].output;
        running_ = length < long_enough && is_plain(dimensions_[0]) && dimensions_[0].output > length ? 0 : count_ - 1;
    }

    [[nodiscard]] bool is_one_row() const { return count_ == 1; }
    [[nodiscard]] std::int64_t inputs() const { return product(&WindowBlock::input, 0); }
    [[nodiscard]] std::int64_t outputs() const { return product(&WindowBlock::output, 0); }
    [[nodiscard]] std::int64_t taps() const { return product(&WindowBlock::kernel, 0); }
    [[nodiscard]] std::int64_t row_length() const { return dimensions_[running_].output; }
    [[nodiscard]] std::int64_t rows() const {
        std::int64_t result = 1;
        for (int d = 0; d < count_; ++d)
            result *= d == running_ ? 1 : dimensions_[d].output;
        return result;
    }
    /// The distance from one position of a row to the next, in positions of x and of y.
    [[nodiscard]] std::int64_t input_step() const {
        return dimensions_[running_].stride * product(&WindowBlock::input, running_ + 1);
    }
    [[nodiscard]] std::int64_t output_step() const { return product(&WindowBlock::output, running_ + 1); }

    /// The row of positions with this number under this tap; empty if the tap lies in the padding.
    [[nodiscard]] Row row(std::int64_t number, std::int64_t tap) const {
        Row row{0, 0, tap, 0};
        bool inside = true;
        std::int64_t inputs = 1; // of the dimensions behind
        std::int64_t outputs = 1;
        for (int d = count_; d-- > 0;) {
            const WindowBlock &window = dimensions_[d];
            const std::int64_t k = tap % window.kernel;
            tap /= window.kernel;
            std::int64_t position = 0;
            if (d == running_) {
                const TouchingPositions run(window, k);
                position = run.begin;
                row.count = run.count();
            } else {
                position = number % window.output;
                number /= window.output;
            }
            const std::int64_t input = position * window.stride - window.padding + k * window.dilation;
            inside = inside && (d == running_ || (input >= 0 && input < window.input));
            row.input += input * inputs;
            row.output += position * outputs;
            inputs *= window.input;
            outputs *= window.output;
        }
        if (!inside)
            row.count = 0;
        return row;
    }

  private:
    void add(const WindowBlock &window) {
        if (count_ > 0 && is_plain(window) && is_plain(dimensions_[count_ - 1])) {
            dimensions_[count_ - 1].input *= window.input;
            dimensions_[count_ - 1].output *= window.output;
        } else if (count_ == 0 || !is_plain(window) || window.input != 1) {
            dimensions_[count_++] = window;
        }
    }

    [[nodiscard]] std::int64_t product(std::int64_t WindowBlock::*what, int begin) const {
        std::int64_t result = 1;
        for (int d = begin; d < count_; ++d)
            result *= dimensions_[d].*what;
        return result;
    }

    std::array<WindowBlock, most_dimensions> dimensions_{};
    int count_ = 0;
    int running_ = 0;
};

template <class T>
using Product = void (*)(Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T *, std::int64_t, const T *,
                         std::int64_t, T, T *, std::int64_t);

/// Products on the threads of the rank, for callers that do not run on them themselves. T: float, double.
template <class T>
void multiply_on_threads(Op a_op, Op b_op, std::int64_t m, std::int64_t n, std::int64_t k, T alpha, const T *a,
                         std::int64_t lda, const T *b, std::int64_t ldb, T beta, T *c, std::int64_t ldc) {
    gemm(a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// Adds the contribution of one row of positions under one tap. The tensor that is the result is written.
template <class T> class Taps {
  public:
    Taps(const Convolution &conv, const Dimensions &dimensions)
        : conv_(conv), x_row_(conv.groups * conv.in), y_row_(conv.groups * conv.out),
          x_step_(dimensions.input_step() * x_row_), y_step_(dimensions.output_step() * y_row_),
          depthwise_(conv.in == 1 && conv.out == 1) {}

    void forward(const Row &row, const T *x, const T *w, T *y, Product<T> product) const {
        x += row.input * x_row_;
        w += row.tap * conv_.groups * conv_.in * conv_.out;
        y += row.output * y_row_;
        if (depthwise_)
            return add_products(row.count, x, x_step_, w, 0, y, y_step_);
        for (std::int64_t g = 0; g < conv_.groups; ++g)
            product(Op::plain, Op::plain, row.count, conv_.out, conv_.in, 1, x + g * conv_.in, x_step_,
                    w + g * conv_.in * conv_.out, conv_.out, 1, y + g * conv_.out, y_step_);
    }

    void input_gradient(const Row &row, const T *dy, const T *w, T *dx, Product<T> product) const {
        dx += row.input * x_row_;
        w += row.tap * conv_.groups * conv_.in * conv_.out;
        dy += row.output * y_row_;
        if (depthwise_)
            return add_products(row.count, dy, y_step_, w, 0, dx, x_step_);
        for (std::int64_t g = 0; g < conv_.groups; ++g)
            product(Op::plain, Op::transposed, row.count, conv_.in, conv_.out, 1, dy + g * conv_.out, y_step_,
                    w + g * conv_.in * conv_.out, conv_.out, 1, dx + g * conv_.in, x_step_);
    }

    void weight_gradient(const Row &row, const T *x, const T *dy, T *dw, Product<T> product) const {
        x += row.input * x_row_;
        dw += row.tap * conv_.groups * conv_.in * conv_.out;
        dy += row.output * y_row_;
        if (depthwise_)
            return add_products(row.count, x, x_step_, dy, y_step_, dw, 0);
        for (std::int64_t g = 0; g < conv_.groups; ++g)
            product(Op::transposed, Op::plain, conv_.in, conv_.out, row.count, 1, x + g * conv_.in, x_step_,
                    dy + g * conv_.out, y_step_, 1, dw + g * conv_.in * conv_.out, conv_.out);
    }

  private:
    /// For one channel per group: to[i] += a[i] * b[i], group by group; strides from one i to the next.
    void add_products(std::int64_t count, const T *a, std::int64_t a_stride, const T *b, std::int64_t b_stride, T *to,
                      std::int64_t to_stride) const {
        for (std::int64_t i = 0; i < count; ++i, a += a_stride, b += b_stride, to += to_stride) {
#pragma omp simd
            for (std::int64_t g = 0; g < conv_.groups; ++g)
                to[g] += a[g] * b[g];
        }
    }

    const Convolution &conv_;
    std::int64_t x_row_; ///< elements of one position
    std::int64_t y_row_;
    std::int64_t x_step_; ///< from one position of a row to the next
    std::int64_t y_step_;
    bool depthwise_;
};

/// Threads take rows of the result. `added`: adds to its contents.
template <class T> void forward(const Convolution &conv, const T *x, const T *w, T *y, bool added) {
    const Dimensions dimensions(conv);
    const Taps<T> taps(conv, dimensions);
    if (!added)
        std::fill_n(y, dimensions.outputs() * conv.groups * conv.out, T{0});
    const auto some = [&](std::int64_t begin, std::int64_t end, Product<T> product) {
        for (std::int64_t number = begin; number < end; ++number)
            for (std::int64_t tap = 0; tap < dimensions.taps(); ++tap)
                if (const Row row = dimensions.row(number, tap); row.count > 0)
                    taps.forward(row, x, w, y, product);
    };
    if (dimensions.is_one_row())
        return some(0, 1, multiply_on_threads<T>);
    const std::int64_t work = dimensions.taps() * dimensions.row_length() * conv.groups * conv.in * conv.out;
    parallel(0, dimensions.rows(), grain(work),
             [&](std::int64_t begin, std::int64_t end) { some(begin, end, multiply<T>); });
}

template <class T>
void input_gradient_of(const Convolution &conv, const T *dy, const T *w, T *dx, bool added, Product<T> product) {
    const Dimensions dimensions(conv);
    const Taps<T> taps(conv, dimensions);
    if (!added)
        std::fill_n(dx, dimensions.inputs() * conv.groups * conv.in, T{0});
    for (std::int64_t number = 0; number < dimensions.rows(); ++number)
        for (std::int64_t tap = 0; tap < dimensions.taps(); ++tap)
            if (const Row row = dimensions.row(number, tap); row.count > 0)
                taps.input_gradient(row, dy, w, dx, product);
}

/// Threads take samples, if there are several, because rows of positions share rows of the result.
template <class T> void input_gradient(const Convolution &conv, const T *dy, const T *w, T *dx, bool added) {
    const Dimensions dimensions(conv);
    if (dimensions.is_one_row() || conv.batch < 2)
        return input_gradient_of(conv, dy, w, dx, added, multiply_on_threads<T>);
    const std::int64_t inputs = dimensions.inputs() / conv.batch * conv.groups * conv.in;
    const std::int64_t outputs = dimensions.outputs() / conv.batch * conv.groups * conv.out;
    parallel(0, conv.batch, grain(dimensions.taps() * outputs * conv.in), [&](std::int64_t begin, std::int64_t end) {
        Convolution part = conv;
        part.batch = end - begin;
        input_gradient_of(part, dy + begin * outputs, w, dx + begin * inputs, added, multiply<T>);
    });
}

/// Threads take taps.
template <class T> void weight_gradient(const Convolution &conv, const T *x, const T *dy, T *dw, bool added) {
    const Dimensions dimensions(conv);
    const Taps<T> taps(conv, dimensions);
    if (!added)
        std::fill_n(dw, dimensions.taps() * conv.groups * conv.in * conv.out, T{0});
    const auto some = [&](std::int64_t begin, std::int64_t end, Product<T> product) {
        for (std::int64_t number = 0; number < dimensions.rows(); ++number)
            for (std::int64_t tap = begin; tap < end; ++tap)
                if (const Row row = dimensions.row(number, tap); row.count > 0)
                    taps.weight_gradient(row, x, dy, dw, product);
    };
    if (dimensions.taps() == 1)
        return some(0, 1, multiply_on_threads<T>);
    const std::int64_t work = dimensions.outputs() * conv.groups * conv.in * conv.out;
    parallel(0, dimensions.taps(), grain(work),
             [&](std::int64_t begin, std::int64_t end) { some(begin, end, multiply<T>); });
}

} // namespace

void convolution(const Convolution &conv, const float *x, const float *w, float *y) {
    forward(conv, x, w, y, false);
}

void convolution(const Convolution &conv, const double *x, const double *w, double *y) {
    forward(conv, x, w, y, false);
}

void convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx) {
    input_gradient(conv, dy, w, dx, false);
}

void convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx) {
    input_gradient(conv, dy, w, dx, false);
}

void convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw) {
    weight_gradient(conv, x, dy, dw, false);
}

void convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw) {
    weight_gradient(conv, x, dy, dw, false);
}

void add_convolution(const Convolution &conv, const float *x, const float *w, float *y) {
    forward(conv, x, w, y, true);
}

void add_convolution(const Convolution &conv, const double *x, const double *w, double *y) {
    forward(conv, x, w, y, true);
}

void add_convolution_input_gradient(const Convolution &conv, const float *dy, const float *w, float *dx) {
    input_gradient(conv, dy, w, dx, true);
}

void add_convolution_input_gradient(const Convolution &conv, const double *dy, const double *w, double *dx) {
    input_gradient(conv, dy, w, dx, true);
}

void add_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *dw) {
    weight_gradient(conv, x, dy, dw, true);
}

void add_convolution_weight_gradient(const Convolution &conv, const double *x, const double *dy, double *dw) {
    weight_gradient(conv, x, dy, dw, true);
}

} // namespace planrt
