// Whether the loss of a run goes away instead of down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace planrt {

/// A run diverges where the loss of a step is more than a thousand times that of its first one, and more than a
/// thousand: losses that begin near 0 may grow that much on their way. (A loss that is no number ends the run.)
class Divergence {
  public:
    /// The loss of the next step. The first time that it is so large: what to tell.
    [[nodiscard]] std::optional<std::string> after(std::int64_t step, double loss);

  private:
    std::optional<double> first_;
    bool told_ = false;
};

} // namespace planrt
