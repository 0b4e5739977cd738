#include "run/training/divergence.h"

#include "support/failure.h"

#include <algorithm>
#include <cmath>

namespace planrt {

namespace {

constexpr double growth = 1000;

} // namespace

std::optional<std::string> Divergence::after(std::int64_t step, double loss) {
    if (!first_)
        first_ = loss;
    if (told_ || std::abs(loss) <= growth * std::max(std::abs(*first_), 1.0))
        return {};
    told_ = true;
    return text("warning: step %lld: the loss has grown to %.3g, from %.3g in the first step; try a smaller rate",
                static_cast<long long>(step), loss, *first_);
}

} // namespace planrt
