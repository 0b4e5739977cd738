// The speed of the processor while a run goes on: what one small product takes, again and again.
#pragma once

#include "run/engine/arena.h"

#include <vector>

namespace planrt {

class Reference {
  public:
    Reference();
    /// Computes reference_product three times, on one thread, and notes the time of the last two, as `planc calibrate`
    /// does: the first fetches the factors, whatever the caches were full of.
    void run();
    /// The median of the times, s; 0: none.
    [[nodiscard]] double seconds() const;

  private:
    Arena memory_; ///< aligned, on huge pages: as there
    float *a_ = nullptr;
    float *b_ = nullptr;
    float *c_ = nullptr;
    std::vector<double> times_;
};

} // namespace planrt
