#include "plan/elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace planc::plan {

namespace {

using Weighted = std::shared_ptr<const std::vector<double>>;

/// seconds * weight + bytes * price, once per pair of tables.
class Weights {
  public:
    Weights(double seconds, double price) : seconds_(seconds), price_(price) {}
    Weighted of(const Function &function) {
        if (seconds_ == 1 && (price_ == 0 || !function.bytes))
            return function.seconds;
        Weighted &known = known_[{function.seconds.get(), function.bytes.get()}];
        if (known)
            return known;
        auto sum = std::make_shared<std::vector<double>>(*function.seconds);
        for (std::size_t i = 0; i < sum->size(); ++i)
            (*sum)[i] =
                (seconds_ == 0 ? 0 : seconds_ * (*sum)[i]) + (function.bytes ? price_ * (*function.bytes)[i] : 0);
        if (seconds_ == 0) // what is forbidden stays so
            for (std::size_t i = 0; i < sum->size(); ++i)
                if (std::isinf((*function.seconds)[i]))
                    (*sum)[i] = (*function.seconds)[i];
        return known = std::move(sum);
    }

  private:
    double seconds_;
    double price_;
    std::map<std::pair<const void *, const void *>, Weighted> known_;
};

class Scalar {
  public:
    Scalar(const std::vector<int> &domains, const std::vector<Function> &functions, std::size_t largest_table,
           double seconds, double price)
        : domains_(domains), largest_(static_cast<double>(largest_table)), of_variable_(domains.size()),
          counts_(domains) {
        Weights weights(seconds, price);
        for (const Function &function : functions) {
            pool_.push_back(function);
            pool_.back().seconds = weights.of(function);
            add(static_cast<int>(pool_.size()) - 1);
        }
        originals_ = pool_.size();
    }

    ScalarResult run(const std::vector<Bucket> &order) {
        ScalarResult result;
        std::vector<std::vector<int>> bucket_functions;
        result.lower_bound = constant_;
        for (const Bucket &bucket : order) {
            std::vector<int> members = of_variable_[bucket.variable];
            std::erase_if(members, [this](int f) { return used_[f]; });
            for (int f : members)
                used_[f] = true;
            const auto groups = split(bucket.variable, members);
            result.exact &= groups.size() <= 1;
            for (const std::vector<int> &group : groups)
                eliminate(bucket.variable, group);
            bucket_functions.push_back(std::move(members));
        }
        result.lower_bound = constant_;
        decode(order, bucket_functions, result.values);
        if (!result.exact)
            descend(result.values);
        return result;
    }

  private:
    void add(int f) {
        used_.push_back(false);
        if (pool_[f].variables.empty())
            constant_ += (*pool_[f].seconds)[0];
        for (int variable : pool_[f].variables)
            of_variable_[variable].push_back(f);
    }

    [[nodiscard]] std::vector<int> others(int variable, const std::vector<int> &group) const {
        std::vector<int> scope;
        for (int f : group)
            scope.insert(scope.end(), pool_[f].variables.begin(), pool_[f].variables.end());
        std::sort(scope.begin(), scope.end());
        scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
        std::erase(scope, variable);
        return scope;
    }

    /// Values of a variable that none of the functions distinguishes.
    struct Classes {
        std::shared_ptr<const std::vector<int>> of_value; ///< times the stride of the message
        std::vector<int> representatives;                 ///< the first value of each class
    };
    [[nodiscard]] Classes classes(int variable, const std::vector<int> &group) const {
        std::vector<const int *> offsets;
        for (int f : group)
            if (const int *of_function = offsets_of(pool_[f], variable))
                offsets.push_back(of_function);
        std::map<std::vector<int>, int> known;
        std::vector<int> of_value;
        Classes result;
        std::vector<int> key(offsets.size());
        for (int value = 0; value < domains_[variable]; ++value) {
            for (std::size_t f = 0; f < offsets.size(); ++f)
                key[f] = offsets[f][value];
            const auto [at, added] = known.emplace(key, static_cast<int>(known.size()));
            if (added)
                result.representatives.push_back(value);
            of_value.push_back(at->second);
        }
        result.of_value = std::make_shared<const std::vector<int>>(std::move(of_value));
        return result;
    }

    /// Whether the joint table of these functions is small enough.
    [[nodiscard]] bool fits(int variable, const std::vector<int> &group) const {
        const std::vector<int> scope = others(variable, group);
        double size = domains_[variable];
        if (size * table_size(domains_, scope) <= largest_)
            return true;
        for (int other : scope)
            size *= static_cast<double>(classes(other, group).representatives.size());
        return size <= largest_;
    }

    /// One group, or several groups whose joint tables are small enough.
    [[nodiscard]] std::vector<std::vector<int>> split(int variable, const std::vector<int> &members) const {
        std::vector<std::vector<int>> groups;
        for (int f : members) {
            const auto group = std::find_if(groups.begin(), groups.end(), [&](std::vector<int> joined) {
                joined.push_back(f);
                return fits(variable, joined);
            });
            if (group == groups.end())
                groups.push_back({f});
            else
                group->push_back(f);
        }
        return groups;
    }

    void eliminate(int variable, const std::vector<int> &group) {
        Function message;
        message.variables = others(variable, group);
        message.offsets.resize(message.variables.size());
        std::vector<Function> terms; // of classes instead of values
        for (int f : group)
            terms.push_back(pool_[f]);
        int stride = 1;
        for (std::size_t i = message.variables.size(); i-- > 0;) {
            const int other = message.variables[i];
            const Classes of_other = classes(other, group);
            const auto count = static_cast<int>(of_other.representatives.size());
            for (Function &term : terms)
                select(term, other, of_other.representatives);
            message.offsets[i] = scaled(*of_other.of_value, stride);
            stride *= count;
            counts_[other] = count;
        }
        message.seconds = least(variable, message.variables, terms, static_cast<std::size_t>(stride));
        pool_.push_back(std::move(message));
        add(static_cast<int>(pool_.size()) - 1);
    }

    /// The sum of the terms at the best value of `variable`, per entry of the scope.
    Weighted least(int variable, const std::vector<int> &scope, const std::vector<Function> &terms, std::size_t size) {
        std::vector<const Function *> pointers;
        std::vector<const int *> offsets;
        for (const Function &term : terms) {
            pointers.push_back(&term);
            offsets.push_back(offsets_of(term, variable));
        }
        auto minimum = std::make_shared<std::vector<double>>();
        minimum->reserve(size);
        std::vector<double> sums(domains_[variable]);
        Odometer odometer(counts_, scope, pointers);
        do {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::size_t f = 0; f < terms.size(); ++f) {
                const double *data = terms[f].seconds->data() + odometer.offset(f);
                for (std::size_t value = 0; value < sums.size(); ++value)
                    sums[value] += data[offsets[f][value]];
            }
            minimum->push_back(*std::min_element(sums.begin(), sums.end()));
        } while (odometer.next());
        return minimum;
    }

    static void select(Function &term, int variable, const std::vector<int> &values) {
        for (std::size_t i = 0; i < term.variables.size(); ++i) {
            if (term.variables[i] != variable)
                continue;
            auto offsets = std::make_shared<std::vector<int>>();
            for (int value : values)
                offsets->push_back((*term.offsets[i])[value]);
            term.offsets[i] = std::move(offsets);
        }
    }

    static const int *offsets_of(const Function &function, int variable) {
        for (std::size_t i = 0; i < function.variables.size(); ++i)
            if (function.variables[i] == variable)
                return function.offsets[i]->data();
        return nullptr;
    }

    [[nodiscard]] double at(const Function &function, const std::vector<int> &values) const {
        std::size_t offset = 0;
        for (std::size_t i = 0; i < function.variables.size(); ++i)
            offset += static_cast<std::size_t>((*function.offsets[i])[values[function.variables[i]]]);
        return (*function.seconds)[offset];
    }

    /// The first of the best values, given all other variables.
    [[nodiscard]] int best_value(int variable, const std::vector<int> &members, std::vector<int> &values) const {
        int best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (int value = 0; value < domains_[variable]; ++value) {
            values[variable] = value;
            double sum = 0;
            for (int f : members)
                sum += at(pool_[f], values);
            if (sum < least) {
                least = sum;
                best = value;
            }
        }
        return best;
    }

    void decode(const std::vector<Bucket> &order, const std::vector<std::vector<int>> &bucket_functions,
                std::vector<int> &values) const {
        values.assign(domains_.size(), 0);
        for (std::size_t b = order.size(); b-- > 0;) {
            const int variable = order[b].variable;
            const int best = best_value(variable, bucket_functions[b], values);
            values[variable] = best;
        }
    }

    /// Changes one variable at a time as long as that helps.
    void descend(std::vector<int> &values) const {
        std::vector<std::vector<int>> members(domains_.size());
        for (int f = 0; f < static_cast<int>(originals_); ++f)
            for (int variable : pool_[f].variables)
                members[variable].push_back(f);
        for (bool changed = true; changed;) {
            changed = false;
            for (int variable = 0; variable < static_cast<int>(domains_.size()); ++variable) {
                const int old = values[variable];
                const auto sum = [&](int value) {
                    values[variable] = value;
                    double total = 0;
                    for (int f : members[variable])
                        total += at(pool_[f], values);
                    return total;
                };
                const int best = best_value(variable, members[variable], values);
                const bool better = sum(best) < sum(old);
                values[variable] = better ? best : old;
                changed |= better;
            }
        }
    }

    const std::vector<int> &domains_;
    double largest_;
    std::vector<Function> pool_; ///< of the problem, then messages
    std::size_t originals_ = 0;
    std::vector<bool> used_;
    std::vector<std::vector<int>> of_variable_;
    std::vector<int> counts_; ///< per variable: classes, for the elimination that runs
    double constant_ = 0;
};

} // namespace

ScalarResult minimise_scalar(const std::vector<int> &domains, const std::vector<Function> &functions,
                             const std::vector<Bucket> &order, std::size_t largest_table, double seconds,
                             double price) {
    return Scalar(domains, functions, largest_table, seconds, price).run(order);
}

} // namespace planc::plan
