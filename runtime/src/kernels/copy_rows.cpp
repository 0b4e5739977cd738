// Parts of a dimension: slices, padding, concatenation.
#include <planrt/kernels.h>
#include <planrt/parallel.h>

#include <algorithm>

namespace planrt {

namespace {

template <class T>
void copy(std::int64_t rows, std::int64_t length, const T *from, std::int64_t from_stride, T *to,
          std::int64_t to_stride) {
    parallel(0, rows, grain(length), [=](std::int64_t begin, std::int64_t end) {
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
