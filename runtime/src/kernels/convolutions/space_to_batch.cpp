#include "kernels/convolutions/space_to_batch.h"

#include <planrt/convolution_method.h>
#include <planrt/parallel.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace planrt {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Copies rows between a tensor and images, which are `from_step` and `to_step` elements apart.
void copy_rows(std::int64_t count, std::int64_t channels, const float *from, std::int64_t from_step, float *to,
               std::int64_t to_step) {
    constexpr std::int64_t block = 8; // copied in place, without a call
    if (from_step == channels && to_step == channels) {
        std::copy_n(from, count * channels, to);
        return;
    }
    for (; count > 0; --count, from += from_step, to += to_step) {
        std::int64_t c = 0;
        for (; c + block <= channels; c += block)
            std::memcpy(to + c, from + c, block * sizeof(float));
        for (; c < channels; ++c)
            to[c] = from[c];
    }
}

} // namespace

std::int64_t SpaceToBatch::Images::image() const {
    std::int64_t elements = channels;
    for (const Rows &each : rows)
        elements *= each.length;
    return elements;
}

SpaceToBatch::SpaceToBatch(const Convolution &conv, std::int64_t most) : count_(conv.batch), portion_(conv) {
    x_.channels = conv.groups * conv.in;
    y_.channels = conv.groups * conv.out;
    std::int64_t weights = conv.groups * conv.in * conv.out;
    int unused = 0; // dimensions behind, which come first here: the last one's rows are copied in runs
    while (unused < most_windows - 1 && conv.windows[most_windows - 1 - unused] == WindowBlock{})
        ++unused;
    phases_.fill(1);
    for (int d = 0; d < most_windows - unused; ++d) {
        const WindowBlock &window = conv.windows[d];
        const std::int64_t dilation = window.kernel == 1 ? 1 : window.dilation;
        const std::int64_t phases = phases_of(window);
        const std::int64_t stride = window.stride / std::gcd(window.stride, dilation);
        const std::int64_t outputs = divide_up(window.output, phases);
        const std::int64_t inputs = (outputs - 1) * stride + window.kernel;
        portion_.windows[d] = {inputs, outputs, window.kernel, stride, 1, 0};
        x_.rows[d + unused] = {window.input, inputs, window.stride, dilation, window.padding};
        y_.rows[d + unused] = {window.output, outputs, 1, phases, 0};
        phases_[d + unused] = phases;
        count_ *= phases;
        weights *= window.kernel;
    }
    const std::int64_t elements = std::max(most, 2 * weights); // weights are read again for each portion
    const std::int64_t images = std::max<std::int64_t>(elements / (x_.image() + y_.image()), 1);
    portions_ = divide_up(count_, images);
    portion_.batch = divide_up(count_, portions_);
    portions_ = divide_up(count_, portion_.batch);
}

SpaceToBatch::Line SpaceToBatch::line(const Images &images, std::int64_t number) const {
    std::array<std::int64_t, most_windows> position{};
    for (int d = most_windows - 1; d-- > 0;) {
        position[d] = number % images.rows[d].length;
        number /= images.rows[d].length;
    }
    if (number >= count_) // the last portion may have fewer images
        return {};
    bool inside = true;
    Line line;
    std::int64_t stride = 1;
    for (int d = most_windows; d-- > 0;) {
        const Rows &rows = images.rows[d];
        const std::int64_t first = number % phases_[d] * rows.phase_step - rows.before;
        number /= phases_[d];
        if (d == most_windows - 1) {
            line.begin = std::clamp<std::int64_t>(first >= 0 ? 0 : divide_up(-first, rows.step), 0, rows.length);
            line.end = first >= rows.extent
                           ? line.begin
                           : std::clamp(divide_up(rows.extent - first, rows.step), line.begin, rows.length);
            line.at = first + line.begin * rows.step;
        } else {
            const std::int64_t row = first + position[d] * rows.step;
            inside = inside && row >= 0 && row < rows.extent;
            line.at += row * stride;
        }
        stride *= rows.extent;
    }
    line.at = (line.at + number * stride) * images.channels;
    if (!inside)
        line.end = line.begin;
    return line;
}

/// Threads take lines.
template <class Body>
void SpaceToBatch::for_each_line(const Images &images, std::int64_t portion, const Body &body) const {
    const std::int64_t length = images.rows.back().length * images.channels;
    const std::int64_t lines = portion_.batch * images.image() / length;
    parallel(0, lines, grain(length), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            body(i * length, line(images, portion * lines + i));
    });
}

void SpaceToBatch::to_images(const Images &images, std::int64_t number, const float *tensor, float *to) const {
    const std::int64_t channels = images.channels;
    const Rows &rows = images.rows.back();
    for_each_line(images, number, [&](std::int64_t at, const Line &line) {
        std::fill(to + at, to + at + line.begin * channels, 0.0F);
        copy_rows(line.end - line.begin, channels, tensor + line.at, rows.step * channels,
                  to + at + line.begin * channels, channels);
        std::fill(to + at + line.end * channels, to + at + rows.length * channels, 0.0F);
    });
}

void SpaceToBatch::from_images(const Images &images, std::int64_t number, const float *from, float *tensor) const {
    const std::int64_t channels = images.channels;
    for_each_line(images, number, [&](std::int64_t at, const Line &line) {
        copy_rows(line.end - line.begin, channels, from + at + line.begin * channels, channels, tensor + line.at,
                  images.rows.back().step * channels);
    });
}

void SpaceToBatch::clear_rest(float *x) const {
    std::int64_t elements = count_ * x_.channels;
    std::int64_t met = elements;
    for (int d = 0; d < most_windows; ++d) {
        const Rows &rows = x_.rows[d];
        std::int64_t here = 0;
        for (std::int64_t phase = 0; phase < phases_[d]; ++phase)
            for (std::int64_t i = 0; i < rows.length; ++i) {
                const std::int64_t row = phase * rows.phase_step - rows.before + i * rows.step;
                here += row >= 0 && row < rows.extent ? 1 : 0;
            }
        met = met / phases_[d] * here;
        elements = elements / phases_[d] * rows.extent;
    }
    if (met < elements)
        std::fill_n(x, elements, 0.0F);
}

} // namespace planrt
