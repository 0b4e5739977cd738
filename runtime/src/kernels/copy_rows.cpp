// Parts of a dimension: slices, padding, concatenation.
#include <planrt/kernels.h>
#include <planrt/parallel.h>

#include <algorithm>

namespace planrt {

namespace {

constexpr std::int64_t elements_a_thread = 16384;

template <class T>
void copy(std::int64_t rows, std::int64_t length, const T *from, std::int64_t from_stride, T *to,
          std::int64_t to_stride) {
    const std::int64_t grain = elements_a_thread / std::max<std::int64_t>(length, 1) + 1;
    parallel(0, rows, grain, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            std::copy_n(from + i * from_stride, length, to + i * to_stride);
    });
}

} // namespace

void copy_rows(std::int64_t rows, std::int64_t length, const float *from, std::int64_t from_stride, float *to,
               std::int64_t to_stride) {
    copy(rows, length, from, from_stride, to, to_stride);
}

void copy_rows(std::int64_t rows, std::int64_t length, const double *from, std::int64_t from_stride, double *to,
               std::int64_t to_stride) {
    copy(rows, length, from, from_stride, to, to_stride);
}

void copy_rows(std::int64_t rows, std::int64_t length, const std::int32_t *from, std::int64_t from_stride,
               std::int32_t *to, std::int64_t to_stride) {
    copy(rows, length, from, from_stride, to, to_stride);
}

} // namespace planrt
