// Loops on the threads of a rank (--threads). With one thread, or less than twice `grain` iterations, a loop is the
// plain call of its body, which g++ inlines.
//
//   parallel(0, batch, 16, [=](std::int64_t begin, std::int64_t end) {
//       for (std::int64_t i = begin; i < end; ++i) …
//   });
#pragma once

#include <algorithm>
#include <cstdint>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace planrt {

/// Threads of this rank; set once, before anything runs.
[[nodiscard]] int thread_count();
void set_thread_count(int threads);

/// Calls body(begin, end) on parts of [begin, end) that follow each other, one a thread, none shorter than `grain`
/// except for a range that is. The parts depend on the range, the grain and the number of threads only.
template <class Body> inline void parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body &body) {
#ifdef _OPENMP
    const int threads = thread_count();
    const std::int64_t parts = std::min<std::int64_t>(threads, (end - begin) / std::max<std::int64_t>(grain, 1));
    if (parts > 1) {
#pragma omp parallel for num_threads(static_cast<int>(parts)) schedule(static, 1)
        for (std::int64_t part = 0; part < parts; ++part)
            body(begin + (end - begin) * part / parts, begin + (end - begin) * (part + 1) / parts);
        return;
    }
#endif
    body(begin, end);
}

} // namespace planrt
