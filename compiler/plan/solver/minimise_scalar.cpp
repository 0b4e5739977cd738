#include "plan/solver/elimination.h"
#include "plan/solver/least.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace planc::plan {

namespace {

constexpr double work_of_table = 1000; ///< whatever its size, in entries

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
    Scalar(const std::vector<int> &domains, const std::vector<Function> &functions, Memo &memo,
           std::size_t largest_table, double seconds, double price)
        : domains_(domains), memo_(memo), messages_(seconds == 1 && price == 0 ? memo.messages : priced_),
          largest_(static_cast<double>(largest_table)), of_variable_(domains.size()) {
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
        Offsets of_value;
        std::vector<int> representatives; ///< the first value of each class
    };
    const Classes &classes(int variable, const std::vector<int> &group) {
        std::vector<Offsets> of_functions;
        for (int f : group)
            for (std::size_t i = 0; i < pool_[f].variables.size(); ++i)
                if (pool_[f].variables[i] == variable)
                    of_functions.push_back(pool_[f].offsets[i]);
        const auto [at, is_new] = classes_.try_emplace(of_functions);
        Classes &result = at->second;
        if (!is_new)
            return result;
        std::map<std::vector<int>, int> known;
        std::vector<int> of_value;
        std::vector<int> key(of_functions.size());
        for (int value = 0; value < domains_[variable]; ++value) {
            for (std::size_t f = 0; f < of_functions.size(); ++f)
                key[f] = (*of_functions[f])[static_cast<std::size_t>(value)];
            const auto [number, added] = known.emplace(key, static_cast<int>(known.size()));
            if (added)
                result.representatives.push_back(value);
            of_value.push_back(number->second);
        }
        result.of_value = memo_.one_of(std::move(of_value));
        return result;
    }

    /// Whether the joint table of these functions is small enough.
    [[nodiscard]] bool fits(int variable, const std::vector<int> &group) {
        const std::vector<int> scope = others(variable, group);
        double size = domains_[variable];
        if (size * table_size(domains_, scope) <= largest_)
            return true;
        for (int other : scope)
            size *= static_cast<double>(classes(other, group).representatives.size());
        return size <= largest_;
    }

    /// One group, or several groups whose joint tables are small enough.
    [[nodiscard]] std::vector<std::vector<int>> split(int variable, const std::vector<int> &members) {
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
        Memo::Message &known = messages_[key(variable, message.variables, group)];
        if (!known.seconds) {
            known = made(variable, message.variables, group);
            const std::size_t values = classes(variable, group).representatives.size();
            memo_.work += work_of_table + static_cast<double>(known.seconds->size() * values);
        }
        message.offsets = known.offsets;
        message.seconds = known.seconds;
        pool_.push_back(std::move(message));
        add(static_cast<int>(pool_.size()) - 1);
    }

    /// Of a message: equal for equal functions, whatever the numbers of their variables. For each function its table;
    /// then, for each of its variables, the place among the others (-1: the eliminated one), as a pointer, and its
    /// offsets. No table lies at such an address, so functions cannot be confused.
    [[nodiscard]] Memo::Key key(int variable, const std::vector<int> &scope, const std::vector<int> &group) const {
        Memo::Key key;
        for (int f : group) {
            const Function &function = pool_[f];
            key.push_back(function.seconds.get());
            for (std::size_t i = 0; i < function.variables.size(); ++i) {
                const auto place = std::lower_bound(scope.begin(), scope.end(), function.variables[i]) - scope.begin();
                key.push_back(reinterpret_cast<const void *>(function.variables[i] == variable ? -1 : place));
                key.push_back(function.offsets[i].get());
            }
        }
        return key;
    }

    Memo::Message made(int variable, const std::vector<int> &scope, const std::vector<int> &group) {
        Memo::Message message;
        message.offsets.resize(scope.size());
        const std::vector<int> &values = classes(variable, group).representatives;
        // The one with most classes comes last, because vectors of these are added up.
        std::vector<std::size_t> places(scope.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        const auto count = [&](std::size_t place) { return classes(scope[place], group).representatives.size(); };
        if (const auto most = std::max_element(places.begin(), places.end(),
                                               [&](std::size_t a, std::size_t b) { return count(a) < count(b); });
            most != places.end())
            std::rotate(most, most + 1, places.end());
        std::vector<std::size_t> counts(scope.size());
        int stride = 1;
        for (std::size_t i = scope.size(); i-- > 0;) {
            message.offsets[places[i]] = memo_.scaled(classes(scope[places[i]], group).of_value, stride);
            counts[i] = count(places[i]);
            stride *= static_cast<int>(counts[i]);
        }
        std::vector<Summand> summands;
        for (int f : group) {
            const Function &function = pool_[f];
            message.kept.emplace_back(function.seconds);
            message.kept.insert(message.kept.end(), function.offsets.begin(), function.offsets.end());
            Summand &summand = summands.emplace_back();
            summand.data = function.seconds->data();
            summand.of_value = selected(function, variable, values);
            for (const std::size_t place : places)
                summand.of_others.push_back(
                    selected(function, scope[place], classes(scope[place], group).representatives));
        }
        message.seconds = least(values.size(), counts, summands);
        return message;
    }

    /// The offsets of these values; empty: the function does not depend on the variable.
    static std::vector<int> selected(const Function &function, int variable, const std::vector<int> &values) {
        std::vector<int> result;
        if (const int *offsets = offsets_of(function, variable))
            for (int value : values)
                result.push_back(offsets[value]);
        return result;
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
    Memo &memo_;
    Memo::Messages priced_;
    Memo::Messages &messages_;
    std::map<std::vector<Offsets>, Classes> classes_; ///< by the offsets that tell values apart
    double largest_;
    std::vector<Function> pool_; ///< of the problem, then messages
    std::size_t originals_ = 0;
    std::vector<bool> used_;
    std::vector<std::vector<int>> of_variable_;
    double constant_ = 0;
};

} // namespace

ScalarResult minimise_scalar(const std::vector<int> &domains, const std::vector<Function> &functions, Memo &memo,
                             std::size_t largest_table, double seconds, double price) {
    return Scalar(domains, functions, memo, largest_table, seconds, price).run(memo.order);
}

} // namespace planc::plan
