// Detects that the loss of a run diverges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace planrt {

/// A run diverges if the loss of a step is more than a thousand times that of its first step. The loss must also exceed
/// a thousand, since losses that begin near 0 may grow by that factor for a while. (A loss that is not a number ends
/// the run.)
class Divergence {
  public:
    /// Takes the loss of the next step. Returns a warning when the run diverges, only once.
    [[nodiscard]] std::optional<std::string> after(std::int64_t step, double loss);

  private:
    std::optional<double> first_;
    bool told_ = false;
};

} // namespace planrt
