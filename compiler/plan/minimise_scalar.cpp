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
        : domains_(domains), largest_(static_cast<double>(largest_table)), of_variable_(domains.size()) {
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

    /// One group, or several whose joint tables are not too large.
    [[nodiscard]] std::vector<std::vector<int>> split(int variable, const std::vector<int> &members) const {
        std::vector<std::vector<int>> groups;
        for (int f : members) {
            const auto fits = [&](std::vector<int> group) {
                group.push_back(f);
                return table_size(domains_, others(variable, group)) * domains_[variable] <= largest_;
            };
            const auto group = std::find_if(groups.begin(), groups.end(), fits);
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
        std::vector<const Function *> terms;
        std::vector<const int *> offsets;
        for (int f : group) {
            terms.push_back(&pool_[f]);
            offsets.push_back(offsets_of(pool_[f], variable));
        }
        auto minimum = std::make_shared<std::vector<double>>();
        minimum->reserve(static_cast<std::size_t>(table_size(domains_, message.variables)));
        std::vector<double> sums(domains_[variable]);
        Odometer odometer(domains_, message.variables, terms);
        do {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (std::size_t f = 0; f < terms.size(); ++f) {
                const double *data = terms[f]->seconds->data() + odometer.offset(f);
                for (std::size_t value = 0; value < sums.size(); ++value)
                    sums[value] += data[offsets[f][value]];
            }
            minimum->push_back(*std::min_element(sums.begin(), sums.end()));
        } while (odometer.next());
        message.seconds = std::move(minimum);
        int stride = 1;
        message.offsets.resize(message.variables.size());
        for (std::size_t i = message.variables.size(); i-- > 0;) {
            message.offsets[i] = strided(domains_[message.variables[i]], stride);
            stride *= domains_[message.variables[i]];
        }
        pool_.push_back(std::move(message));
        add(static_cast<int>(pool_.size()) - 1);
    }

    std::shared_ptr<const std::vector<int>> strided(int domain, int stride) {
        auto &known = strided_[{domain, stride}];
        if (!known) {
            auto offsets = std::make_shared<std::vector<int>>(domain);
            for (int value = 0; value < domain; ++value)
                (*offsets)[value] = value * stride;
            known = std::move(offsets);
        }
        return known;
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

    /// The first of the best values given the rest.
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

    /// One variable at a time while that helps.
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
    std::map<std::pair<int, int>, std::shared_ptr<const std::vector<int>>> strided_;
    double constant_ = 0;
};

} // namespace

ScalarResult minimise_scalar(const std::vector<int> &domains, const std::vector<Function> &functions,
                             const std::vector<Bucket> &order, std::size_t largest_table, double seconds,
                             double price) {
    return Scalar(domains, functions, largest_table, seconds, price).run(order);
}

} // namespace planc::plan
