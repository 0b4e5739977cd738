#include "run/training/reference.h"

#include "count/step_clock.h"
#include <planrt/multiply.h>

#include <planrt/planrt.h>

#include <algorithm>

namespace planrt {

constexpr std::int64_t size = reference_product;
constexpr std::size_t fewest = 5; // times

Reference::Reference()
    : memory_(3 * size * size * static_cast<std::int64_t>(sizeof(float)), /*measured=*/false),
      a_(reinterpret_cast<float *>(memory_.begin())), b_(a_ + size * size), c_(b_ + size * size) {
    std::fill(a_, c_, 0.5F);
}

void Reference::run() {
    const auto product = [this] {
        multiply(Op::plain, Op::plain, size, size, size, 1.0F, a_, size, b_, size, 0.0F, c_, size);
    };
    product();
    const double begin = steady_seconds();
    product();
    product();
    last_ = steady_seconds();
    times_.push_back(last_ - begin);
}

void Reference::between_steps() {
    if (due(steady_seconds(), last_))
        run();
}

double Reference::seconds() {
    while (times_.size() < fewest)
        run();
    std::vector<double> times = times_;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

} // namespace planrt
