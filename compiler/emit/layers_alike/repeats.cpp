#include "emit/layers_alike/repeats.h"

#include <algorithm>

namespace planc::emit {

namespace {

class Search {
  public:
    Search(const std::vector<int> &elements, const std::vector<int> &lines, const BlockScore &score)
        : elements_(elements), score_(score), before_(1) {
        for (const int each : lines)
            before_.push_back(before_.back() + static_cast<std::size_t>(each));
    }

    std::vector<Repeat> run() {
        search(0, elements_.size());
        std::sort(found_.begin(), found_.end(), [](const Repeat &a, const Repeat &b) { return a.begin < b.begin; });
        return std::move(found_);
    }

  private:
    struct Run {
        Repeat repeat;
        std::size_t shifts = 0; ///< by how many elements the run can be moved to the right
        std::size_t saved = 0;
    };

    void search(std::size_t begin, std::size_t end) {
        Run best;
        // A run saves at most all lines except those of the last block, so few periods after the best one are tried.
        for (std::size_t period = 1; 2 * period <= end - begin; ++period)
            if (before_[end - period] - before_[begin] > best.saved)
                longest_of(period, begin, end, best);
        if (best.saved == 0)
            return;
        Repeat &repeat = best.repeat;
        if (score_)
            repeat.begin = best_shift(best);
        search(begin, repeat.begin);
        search(repeat.begin + repeat.period * repeat.count, end);
        found_.push_back(repeat);
    }

    /// A run of `period` or more equal pairs contains one of the positions that are a period apart, so only these are
    /// tried.
    void longest_of(std::size_t period, std::size_t begin, std::size_t end, Run &best) const {
        const auto equal_pair = [&](std::size_t i) { return elements_[i] == elements_[i + period]; };
        std::size_t low = begin; // after the last run
        for (std::size_t i = begin; i + period < end; i += period - (i - begin) % period) {
            if (!equal_pair(i))
                continue;
            std::size_t first = i;
            while (first > low && equal_pair(first - 1))
                --first;
            while (i + period < end && equal_pair(i))
                ++i;
            low = i;
            const std::size_t equal = i - first;
            const std::size_t count = equal / period + 1;
            if (count < 2)
                continue;
            constexpr std::size_t function = 10; // its head and end, that of the table, the loop
            const std::size_t saved = before_[first + (count - 1) * period] - before_[first];
            if (saved > best.saved && saved > count + function)
                best = {{first, period, count}, equal % period, saved};
        }
    }

    [[nodiscard]] std::size_t best_shift(const Run &run) const {
        std::size_t best = run.repeat.begin;
        int best_score = score_(best, run.repeat.period);
        for (std::size_t shift = 1; shift <= run.shifts; ++shift)
            if (const int score = score_(run.repeat.begin + shift, run.repeat.period); score > best_score) {
                best = run.repeat.begin + shift;
                best_score = score;
            }
        return best;
    }

    const std::vector<int> &elements_;
    const BlockScore &score_;
    std::vector<std::size_t> before_; ///< lines before each element
    std::vector<Repeat> found_;
};

} // namespace

std::vector<Repeat> find_repeats(const std::vector<int> &elements, const std::vector<int> &lines,
                                 const BlockScore &score) {
    return Search(elements, lines, score).run();
}

} // namespace planc::emit
