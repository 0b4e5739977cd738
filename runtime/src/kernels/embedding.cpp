// Rows of a table, and their gradients. Rows that this rank does not have give 0, so that the sum over the ranks is the
// result.
#include <planrt/kernels.h>
#include <planrt/parallel.h>

#include <algorithm>

namespace planrt {

namespace {

template <class T>
void look_up(const std::int32_t *indices, std::int64_t count, const T *table, std::int64_t before, std::int64_t rows,
             std::int64_t after, std::int64_t first, T *to) {
    parallel(0, count, grain(before * after), [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t row = indices[i] - first;
            for (std::int64_t j = 0; j < before; ++j) {
                T *target = to + (i * before + j) * after;
                if (row >= 0 && row < rows)
                    std::copy_n(table + (j * rows + row) * after, after, target);
                else
                    std::fill_n(target, after, T{0});
            }
        }
    });
}

/// Each thread sums into its own rows, in the order of the indices, so the sums do not depend on the threads.
template <class T>
void sum_rows(const std::int32_t *indices, std::int64_t count, const T *gradient, std::int64_t before,
              std::int64_t rows, std::int64_t after, std::int64_t first, T *to) {
    parallel(0, rows, grain(count * before * after / std::max<std::int64_t>(rows, 1)),
             [=](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t j = 0; j < before; ++j)
                     std::fill_n(to + (j * rows + begin) * after, (end - begin) * after, T{0});
                 for (std::int64_t i = 0; i < count; ++i) {
                     const std::int64_t row = indices[i] - first;
                     if (row < begin || row >= end)
                         continue;
                     for (std::int64_t j = 0; j < before; ++j) {
                         const T *source = gradient + (i * before + j) * after;
                         T *target = to + (j * rows + row) * after;
#pragma omp simd
                         for (std::int64_t k = 0; k < after; ++k)
                             target[k] += source[k];
                     }
                 }
             });
}

} // namespace

void embedding(const std::int32_t *indices, std::int64_t count, const float *table, std::int64_t before,
               std::int64_t rows, std::int64_t after, std::int64_t first, float *to) {
    look_up(indices, count, table, before, rows, after, first, to);
}

void embedding(const std::int32_t *indices, std::int64_t count, const double *table, std::int64_t before,
               std::int64_t rows, std::int64_t after, std::int64_t first, double *to) {
    look_up(indices, count, table, before, rows, after, first, to);
}

void embedding_gradient(const std::int32_t *indices, std::int64_t count, const float *gradient, std::int64_t before,
                        std::int64_t rows, std::int64_t after, std::int64_t first, float *to) {
    sum_rows(indices, count, gradient, before, rows, after, first, to);
}

void embedding_gradient(const std::int32_t *indices, std::int64_t count, const double *gradient, std::int64_t before,
                        std::int64_t rows, std::int64_t after, std::int64_t first, double *to) {
    sum_rows(indices, count, gradient, before, rows, after, first, to);
}

} // namespace planrt
