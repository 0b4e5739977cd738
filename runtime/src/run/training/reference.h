// Measures the speed of the processor during a run: the time of one small product, now and then.
#pragma once

#include "run/engine/arena.h"

#include <vector>

namespace planrt {

class Reference {
  public:
    Reference();
    /// Whether it should run again at the time `now`, in seconds. Ranks leave it at different times and wait for each
    /// other in the following steps, on a busy machine for many steps. Such steps must be few among those whose median
    /// counts.
    [[nodiscard]] static bool due(double now, double last) { return now - last >= 1; }
    /// Called between two steps: calls run() if it is due.
    void between_steps();
    /// Computes reference_product three times, on one thread, and records the time of the last two, as `planc
    /// calibrate` does. The first one brings the factors into the caches.
    void run();
    /// The median of the times, in seconds. Measures some more if there are few.
    [[nodiscard]] double seconds();

  private:
    Arena memory_; ///< aligned, on huge pages, as in planc calibrate
    float *a_ = nullptr;
    float *b_ = nullptr;
    float *c_ = nullptr;
    std::vector<double> times_;
    double last_ = 0; ///< when it has run, s
};

} // namespace planrt
