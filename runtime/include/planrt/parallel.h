// Loops on the threads of a rank (--threads). With one thread, or with fewer than twice `grain` iterations, a loop is a
// plain call of its body.
//
//   parallel(0, batch, grain(hidden), [=](std::int64_t begin, std::int64_t end) {
//       for (std::int64_t i = begin; i < end; ++i) …
//   });
#pragma once

#include <algorithm>
#include <cstdint>

namespace planrt {

/// The number of threads of this rank, including the caller. Set once, before anything runs in parallel. Errors:
/// Failure if the system cannot start that many.
[[nodiscard]] int thread_count();
void set_thread_count(int threads);

/// Calls call(data, part) for every part in [0, parts), each on its own thread, and waits for all of them. parts is at
/// most thread_count(). The function must not throw or run anything in parallel itself.
void run_parts(int parts, void (*call)(const void *data, int part), const void *data);

/// The number of iterations that are worth a thread, each over `elements` elements.
[[nodiscard]] inline std::int64_t grain(std::int64_t elements) {
    constexpr std::int64_t elements_a_thread = 16384;
    return elements_a_thread / std::max<std::int64_t>(elements, 1) + 1;
}

/// Calls body(begin, end) on consecutive parts of [begin, end), one per thread, none shorter than `grain` unless the
/// whole range is. The parts depend only on the range, the grain and the number of threads.
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
