// The speed of the processor while a run goes on: what one small product takes, again and again.
#pragma once

#include <vector>

namespace planrt {

class Reference {
  public:
    Reference();
    /// Computes reference_product twice, on one thread, and notes the time, as `planc calibrate` does: caches are full
    /// of other things when it begins.
    void run();
    /// The median of the times, s; 0: none.
    [[nodiscard]] double seconds() const;

  private:
    std::vector<float> a_;
    std::vector<float> b_;
    std::vector<float> c_;
    std::vector<double> times_;
};

} // namespace planrt
