// Loops on the threads of a rank (--threads). With one thread, or less than twice `grain` iterations, a loop is the
// plain call of its body.
//
//   parallel(0, batch, grain(hidden), [=](std::int64_t begin, std::int64_t end) {
//       for (std::int64_t i = begin; i < end; ++i) …
//   });
#pragma once

#include <algorithm>
#include <cstdint>

namespace planrt {

/// Threads of this rank, the caller included. Set once, before anything runs in parallel. Errors: Failure where the
/// system starts no more.
[[nodiscard]] int thread_count();
void set_thread_count(int threads);

/// Calls call(data, part) for every part in [0, parts), each on a thread of its own, and waits for all. parts is at
/// most thread_count(). What it calls throws nothing and runs nothing in parallel itself.
void run_parts(int parts, void (*call)(const void *data, int part), const void *data);

/// Iterations that are worth a thread, each over `elements` elements.
[[nodiscard]] inline std::int64_t grain(std::int64_t elements) {
    constexpr std::int64_t elements_a_thread = 16384;
    return elements_a_thread / std::max<std::int64_t>(elements, 1) + 1;
}

/// Calls body(begin, end) on parts of [begin, end) that follow each other, one a thread, none shorter than `grain`
/// except for a range that is. The parts depend on the range, the grain and the number of threads only.
template <class Body> inline void parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body &body) {
    struct Parts {
        const Body &body;
        std::int64_t begin;
        std::int64_t size;
        int count;
    };
    const auto count =
        static_cast<int>(std::min<std::int64_t>(thread_count(), (end - begin) / std::max<std::int64_t>(grain, 1)));
    if (count <= 1)
        return body(begin, end);
    const Parts parts{body, begin, end - begin, count};
    run_parts(
        count,
        [](const void *data, int part) {
            const Parts &all = *static_cast<const Parts *>(data);
            all.body(all.begin + all.size * part / all.count, all.begin + all.size * (part + 1) / all.count);
        },
        &parts);
}

} // namespace planrt
