// The speed of the processor while a run goes on: what one small product takes, now and again.
#pragma once

#include "run/engine/arena.h"

#include <vector>

namespace planrt {

class Reference {
  public:
    Reference();
    /// Is it to run again at the time `now`, s? Ranks leave it at different times and wait for one another in the steps
    /// that follow, on a busy machine for many steps: these have to be few among those whose median counts.
    [[nodiscard]] static bool due(double now, double last) { return now - last >= 1; }
    /// Between two steps: run(), if it is due.
    void between_steps();
    /// Computes reference_product three times, on one thread, and notes the time of the last two, as `planc calibrate`
    /// does: the first fetches the factors, whatever the caches were full of.
    void run();
    /// The median of the times, s; takes some more where they are few.
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
