#include "plan/solver/least.h"

#include <algorithm>
#include <limits>

namespace planc::plan {

namespace {

/// What one function adds to lines of sums: a line each, or a number each.
struct Added {
    const double *entries = nullptr;
    bool by_line = true;
};

/// sum = from + added, line by line
struct Add {
    static void run(const double *from, Added added, std::size_t lines, std::size_t length, double *sum) {
        const double *entries = added.entries;
        for (; lines > 0; --lines, from += length, sum += length, entries += added.by_line ? length : 1)
            if (added.by_line)
                for (std::size_t i = 0; i < length; ++i)
                    sum[i] = from[i] + entries[i];
            else
                for (std::size_t i = 0; i < length; ++i)
                    sum[i] = from[i] + *entries;
    }
};

/// least = min(least, from + added), all lines into one
struct Lower {
    static void run(const double *from, Added added, std::size_t lines, std::size_t length, double *least) {
        const double *entries = added.entries;
        for (; lines > 0; --lines, from += length, entries += added.by_line ? length : 1)
            if (added.by_line)
                for (std::size_t i = 0; i < length; ++i) {
                    const double sum = from[i] + entries[i];
                    least[i] = sum < least[i] ? sum : least[i];
                }
            else
                for (std::size_t i = 0; i < length; ++i) {
                    const double sum = from[i] + *entries;
                    least[i] = sum < least[i] ? sum : least[i];
                }
    }
};

/// Calls Kernel::run(), compiled for the processor's vectors. What it computes does not depend on them.
template <class Kernel, class... Arguments> [[gnu::flatten]] void plain(Arguments... arguments) {
    Kernel::run(arguments...);
}
#ifdef __x86_64__
template <class Kernel, class... Arguments>
[[gnu::flatten, gnu::target("avx2")]] void with_avx2(Arguments... arguments) {
    Kernel::run(arguments...);
}
template <class Kernel, class... Arguments> void run(Arguments... arguments) {
    static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    has_avx2 ? with_avx2<Kernel>(arguments...) : plain<Kernel>(arguments...);
}
#else
template <class Kernel, class... Arguments> void run(Arguments... arguments) {
    plain<Kernel>(arguments...);
}
#endif

/// The entries of a function by those of the outer variables on which it depends, then by the eliminated variable, and
/// by the last one if it depends on that.
struct Block {
    std::vector<std::size_t> strides; ///< per outer variable
    std::size_t complete = 0;         ///< how many of the outer variables must be known
    std::size_t length = 1;           ///< of a line
    std::vector<double> entries;
};

/// Loops over the outer variables one inside another, each time adding what is known by then.
class Eliminated {
  public:
    Eliminated(std::size_t values, const std::vector<std::size_t> &counts, const std::vector<Summand> &summands)
        : values_(values), outer_(counts), last_(counts.empty() ? 1 : counts.back()) {
        if (!outer_.empty())
            outer_.pop_back();
        std::size_t entries = last_;
        for (const std::size_t count : outer_)
            entries *= count;
        result_.assign(entries, std::numeric_limits<double>::infinity());
        for (const Summand &summand : summands)
            blocks_.push_back(block(summand));
        sums_.assign(outer_.size() + 1, std::vector<double>(values_ * last_, 0.0));
        for (const Block &each : blocks_)
            if (each.complete == 0)
                planc::plan::run<Add>(sums_[0].data(), added(each, 0), values_, last_, sums_[0].data());
    }

    std::vector<double> run() {
        std::vector<std::size_t> at(blocks_.size(), 0);
        run(0, at);
        return std::move(result_);
    }

  private:
    Block block(const Summand &summand) const {
        Block result;
        result.length = summand.of_others.empty() || summand.of_others.back().empty() ? 1 : last_;
        std::size_t blocks = 1;
        result.strides.assign(outer_.size(), 0);
        for (std::size_t i = outer_.size(); i-- > 0;) {
            if (summand.of_others[i].empty())
                continue;
            result.complete = std::max(result.complete, i + 1);
            result.strides[i] = blocks * values_ * result.length;
            blocks *= outer_[i];
        }
        result.entries.resize(blocks * values_ * result.length);
        double *next = result.entries.data();
        fill(summand, 0, 0, next);
        return result;
    }
    void fill(const Summand &summand, std::size_t depth, std::size_t offset, double *&next) const {
        if (depth < outer_.size()) {
            if (summand.of_others[depth].empty())
                return fill(summand, depth + 1, offset, next);
            for (const int of_class : summand.of_others[depth])
                fill(summand, depth + 1, offset + static_cast<std::size_t>(of_class), next);
            return;
        }
        static const std::vector<int> nothing;
        const std::vector<int> &of_last = summand.of_others.empty() ? nothing : summand.of_others.back();
        for (std::size_t value = 0; value < values_; ++value) {
            const std::size_t line =
                offset + static_cast<std::size_t>(summand.of_value.empty() ? 0 : summand.of_value[value]);
            if (of_last.empty())
                *next++ = summand.data[line];
            for (const int of_class : of_last)
                *next++ = summand.data[line + static_cast<std::size_t>(of_class)];
        }
    }

    /// `at`: where the entries of each block begin, as far as outer variables are known.
    void run(std::size_t depth, std::vector<std::size_t> &at) {
        const std::size_t entries = values_ * last_;
        const double *sum = sums_[depth].data();
        if (depth == outer_.size()) {
            for (std::size_t value = 0; value < values_; ++value, sum += last_)
                for (std::size_t i = 0; i < last_; ++i)
                    result_[written_ + i] = std::min(result_[written_ + i], sum[i]);
            written_ += last_;
            return;
        }
        std::vector<const Block *> known;
        for (const Block &each : blocks_)
            if (each.complete == depth + 1)
                known.push_back(&each);
        for (std::size_t of_class = 0; of_class < outer_[depth]; ++of_class) {
            const bool is_last = depth + 1 == outer_.size();
            const double *from = sum;
            double *next = sums_[depth + 1].data();
            for (std::size_t k = 0; k + (is_last ? 1 : 0) < known.size(); ++k) {
                planc::plan::run<Add>(from,
                                      added(*known[k], at[number(known[k])] + of_class * known[k]->strides[depth]),
                                      values_, last_, next);
                from = next;
            }
            if (is_last && !known.empty()) {
                const Block &each = *known.back();
                planc::plan::run<Lower>(from, added(each, at[number(&each)] + of_class * each.strides[depth]), values_,
                                        last_, result_.data() + written_);
                written_ += last_;
                continue;
            }
            if (from != next)
                std::copy(from, from + entries, next);
            for (std::size_t b = 0; b < blocks_.size(); ++b)
                at[b] += of_class * blocks_[b].strides[depth];
            run(depth + 1, at);
            for (std::size_t b = 0; b < blocks_.size(); ++b)
                at[b] -= of_class * blocks_[b].strides[depth];
        }
    }
    static Added added(const Block &block, std::size_t first) {
        return {block.entries.data() + first, block.length > 1};
    }
    [[nodiscard]] std::size_t number(const Block *block) const {
        return static_cast<std::size_t>(block - blocks_.data());
    }

    std::size_t values_;
    std::vector<std::size_t> outer_;
    std::size_t last_;
    std::vector<Block> blocks_;
    std::vector<std::vector<double>> sums_; ///< by how many outer variables are known
    std::vector<double> result_;
    std::size_t written_ = 0;
};

} // namespace

std::shared_ptr<const std::vector<double>> least(std::size_t values, const std::vector<std::size_t> &counts,
                                                 const std::vector<Summand> &summands) {
    return std::make_shared<const std::vector<double>>(Eliminated(values, counts, summands).run());
}

} // namespace planc::plan
