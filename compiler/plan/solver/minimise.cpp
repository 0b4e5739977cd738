#include "plan/solver/elimination.h"

#include "plan/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace planc::plan {

namespace {

std::size_t entry_of(const Factor &factor, const std::vector<int> &values) {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < factor.variables.size(); ++i)
        entry = entry * static_cast<std::size_t>(factor.classes[i]) +
                static_cast<std::size_t>((*factor.class_of[i])[values[factor.variables[i]]]);
    return entry;
}

/// Adds the entry of one factor.
void add(Sum &sum, const Factor &factor, const std::vector<int> &values) {
    const std::size_t entry = entry_of(factor, values);
    sum.seconds += factor.table->seconds_of(entry);
    sum.bytes += factor.table->bytes.empty() || !factor.count_bytes ? 0 : factor.table->bytes[entry];
}
constexpr int most_prices = 30;             ///< of memory; few are needed
constexpr double rounding_of_bytes = 1e-12; ///< limits hold to the byte

/// One problem with its elimination order, solved under several prices of memory.
class Search {
  public:
    Search(const Problem &problem, Memo &memo) : problem_(problem), functions_(functions(problem, memo)), memo_(memo) {
        if (memo.order.empty())
            memo.order = elimination_order(problem.domains, functions_);
    }

    Solution run() {
        const ScalarResult fastest = scalar(1, 0);
        const Sum of_fastest = take(fastest.values);
        best_.lower_bound = std::max(best_.lower_bound, fastest.lower_bound);
        if (std::isinf(fastest.lower_bound) || best_.feasible || fastest.lower_bound >= problem_.give_up_at)
            return finish();
        best_.limit_decided = true;
        End too_large{of_fastest, fastest.values};
        End fits{{std::numeric_limits<double>::infinity(), 0}, {}};
        if (memo_.price > 0 && (probe(memo_.price, too_large, fits), best_.lower_bound >= problem_.give_up_at))
            return finish();
        if (std::isinf(fits.sum.seconds)) {
            const ScalarResult smallest = scalar(0, 1);
            const Sum of_smallest = take(smallest.values);
            if (smallest.lower_bound > problem_.byte_limit * (1 + rounding_of_bytes)) {
                best_.least_bytes = smallest.lower_bound;
                best_.lower_bound = std::numeric_limits<double>::infinity();
                return finish();
            }
            fits = {of_smallest, smallest.values};
        }
        price_memory(too_large, fits);
        cross(fits, too_large);
        polish();
        return finish();
    }

    /// Without regard to the limit.
    Solution smallest() {
        const ScalarResult found = scalar(0, 1);
        const Sum sum = evaluate(problem_, found.values);
        best_.feasible = !std::isinf(sum.seconds);
        best_.values = found.values;
        best_.seconds = sum.seconds;
        best_.bytes = sum.bytes;
        best_.lower_bound = found.lower_bound;
        return best_;
    }

  private:
    /// The best assignment so far on one side of the limit.
    struct End {
        Sum sum;
        std::vector<int> values;
    };

    [[nodiscard]] ScalarResult scalar(double seconds, double price) {
        ScalarResult result =
            minimise_scalar(problem_.domains, functions_, memo_, problem_.largest_table, seconds, price);
        if (!result.exact)
            complete(problem_, result.values);
        return result;
    }

    /// Keeps the assignment if it fits and is the fastest so far.
    Sum take(const std::vector<int> &values) {
        const Sum sum = evaluate(problem_, values);
        if (sum.bytes > problem_.byte_limit * (1 + rounding_of_bytes) || std::isinf(sum.seconds))
            return sum;
        if (best_.feasible && sum.seconds >= best_.seconds)
            return sum;
        best_.feasible = true;
        best_.values = values;
        best_.seconds = sum.seconds;
        best_.bytes = sum.bytes;
        return sum;
    }

    /// Lagrangian relaxation: min(seconds + price (bytes - limit)) is a lower bound for every price >= 0. After the
    /// price of the last problem, if there was one, the price at which the fastest assignment and the smallest one cost
    /// the same is tried; the assignment found there takes the place of the one on its side of the limit, until there
    /// is none better: then the bound is the largest.
    void price_memory(End &too_large, End &fits) {
        for (int i = 0; i < most_prices && too_large.sum.bytes > fits.sum.bytes; ++i) {
            const double price = (fits.sum.seconds - too_large.sum.seconds) / (too_large.sum.bytes - fits.sum.bytes);
            if (!(price > 0) || std::isinf(price))
                break;
            memo_.price = price;
            if (!probe(price, too_large, fits) || best_.lower_bound >= problem_.give_up_at)
                break;
        }
    }

    /// Tries a price. Returns false if the two sums cost as little at this price as anything.
    bool probe(double price, End &too_large, End &fits) {
        const ScalarResult result = scalar(1, price);
        const Sum found = take(result.values);
        best_.lower_bound = std::max(best_.lower_bound, result.lower_bound - price * problem_.byte_limit);
        const double gain = too_large.sum.seconds + price * too_large.sum.bytes - (found.seconds + price * found.bytes);
        const double worthwhile = rounding * too_large.sum.seconds;
        End &end = found.bytes > problem_.byte_limit ? too_large : fits;
        if (gain > 0 || std::isinf(end.sum.seconds)) // inexact eliminations may find worse
            end = {found, result.values};
        return gain > worthwhile;
    }

    /// At the last price the two ends cost the same. What takes its first variables from one end and the others from
    /// the other costs little more, because only neighbours in different parts pay. The part of the larger end grows as
    /// long as the whole fits.
    void cross(const End &fits, const End &too_large) {
        for (const bool from_the_front : {true, false}) {
            std::size_t least = 0;
            std::size_t most = fits.values.size();
            while (most - least > 1) {
                const std::size_t middle = (least + most) / 2;
                std::vector<int> crossed = from_the_front ? fits.values : too_large.values;
                const std::vector<int> &rest = from_the_front ? too_large.values : fits.values;
                const std::size_t place = from_the_front ? middle : crossed.size() - middle;
                std::copy(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(place), crossed.begin());
                complete(problem_, crossed);
                (take(crossed).bytes > problem_.byte_limit ? most : least) = middle;
            }
        }
    }

    /// Changes one variable at a time as long as the result is faster and fits.
    void polish() {
        std::vector<std::vector<const Factor *>> factors(problem_.domains.size());
        for (const Factor &factor : problem_.factors)
            for (int variable : factor.variables)
                factors[variable].push_back(&factor);
        const auto sum = [&](int variable) {
            Sum total;
            for (const Factor *factor : factors[variable])
                add(total, *factor, best_.values);
            return total;
        };
        for (bool changed = best_.feasible; changed;) {
            changed = false;
            for (int variable = 0; variable < static_cast<int>(factors.size()); ++variable)
                for (int value = 0; value < problem_.domains[variable]; ++value) {
                    const int old = best_.values[variable];
                    const Sum before = sum(variable);
                    best_.values[variable] = value;
                    const Sum after = sum(variable);
                    const double bytes = best_.bytes - before.bytes + after.bytes;
                    const bool better = after.seconds < before.seconds * (1 - 1e-12) && bytes <= problem_.byte_limit;
                    best_.values[variable] = better ? value : old;
                    best_.bytes = better ? bytes : best_.bytes;
                    changed |= better;
                }
        }
        best_.seconds = best_.feasible ? evaluate(problem_, best_.values).seconds : best_.seconds;
    }

    Solution finish() {
        if (best_.feasible && best_.lower_bound > best_.seconds * (1 - rounding))
            best_.lower_bound = best_.seconds;
        return best_;
    }

    const Problem &problem_;
    std::vector<Function> functions_;
    Memo &memo_;
    Solution best_;
};

} // namespace

Sum evaluate(const Problem &problem, const std::vector<int> &values) {
    Sum sum;
    for (const Factor &factor : problem.factors)
        add(sum, factor, values);
    return sum;
}

void complete(const Problem &problem, std::vector<int> &values) {
    for (const std::size_t f : problem.binding) {
        const Factor &factor = problem.factors[f];
        int &value = values[factor.variables.back()];
        for (value = 0; factor.table->seconds[entry_of(factor, values)] > 0;)
            ++value;
    }
}

Solution smallest(const Problem &problem, Memo &memo) {
    return Search(problem, memo).smallest();
}

Solution minimise(const Problem &problem) {
    Memo memo;
    return minimise(problem, memo);
}

Solution minimise(const Problem &problem, Memo &memo) {
    return Search(problem, memo).run();
}

} // namespace planc::plan
