#include "count/step_clock.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace planrt {

namespace {

constexpr long most_cold = 5; // steps

/// Steps at the beginning that do not count.
long cold(long steps) {
    return std::min(most_cold, steps / 3);
}

} // namespace

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

StepClock::StepClock(int work, int collectives, int most_steps, double (*now)())
    : first_collective_(2 + work), most_kept_(most_steps), now_(now),
      seconds_(static_cast<std::size_t>(2 + work + collectives)),
      kept_(seconds_.size() * static_cast<std::size_t>(most_steps)) {}

int StepClock::change_to(int account) {
    const double time = now_();
    seconds_[static_cast<std::size_t>(current_)] += time - since_;
    since_ = time;
    return std::exchange(current_, account);
}

void StepClock::begin_step() {
    std::ranges::fill(seconds_, 0);
    current_ = rest;
    since_ = now_();
}

void StepClock::end_step() {
    change_to(rest);
    const auto place = static_cast<std::ptrdiff_t>(done_ % most_kept_) * accounts();
    std::ranges::copy(seconds_, kept_.begin() + place);
    ++done_;
}

int StepClock::steps() const {
    return static_cast<int>(std::min(done_ - cold(done_), most_kept_));
}

double StepClock::median(int begin, int end) const {
    std::vector<double> sums;
    for (long step = done_ - steps(); step < done_; ++step) {
        const auto row = kept_.begin() + static_cast<std::ptrdiff_t>(step % most_kept_) * accounts();
        sums.push_back(std::accumulate(row + begin, row + end, 0.0));
    }
    if (sums.empty())
        return 0;
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2);
    std::ranges::nth_element(sums, middle);
    if (sums.size() % 2 != 0)
        return *middle;
    return (*middle + *std::max_element(sums.begin(), middle)) / 2;
}

} // namespace planrt
