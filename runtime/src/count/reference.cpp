#include "count/reference.h"

#include "count/step_clock.h"
#include "kernels/multiply.h"

#include <planrt/planrt.h>

#include <algorithm>

namespace planrt {

constexpr std::int64_t size = reference_product;

Reference::Reference() : a_(size * size, 1.0F), b_(size * size, 0.5F), c_(size * size) {}

void Reference::run() {
    const double begin = steady_seconds();
    for (int i = 0; i < 2; ++i)
        multiply(Op::plain, Op::plain, size, size, size, 1.0F, a_.data(), size, b_.data(), size, 0.0F, c_.data(), size);
    times_.push_back(steady_seconds() - begin);
}

double Reference::seconds() const {
    if (times_.empty())
        return 0;
    std::vector<double> times = times_;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

} // namespace planrt
