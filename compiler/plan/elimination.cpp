#include "plan/elimination.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace planc::plan {

std::shared_ptr<const std::vector<int>> scaled(const std::vector<int> &classes, int stride) {
    auto offsets = std::make_shared<std::vector<int>>(classes);
    for (int &offset : *offsets)
        offset *= stride;
    return offsets;
}

namespace {

Function as_function(const Factor &factor) {
    Function function;
    function.variables = factor.variables;
    function.offsets.resize(factor.variables.size());
    int stride = 1;
    for (std::size_t i = factor.variables.size(); i-- > 0;) {
        function.offsets[i] = scaled(*factor.class_of[i], stride);
        stride *= factor.classes[i];
    }
    function.seconds = {factor.table, &factor.table->seconds};
    if (factor.count_bytes && !factor.table->bytes.empty())
        function.bytes = {factor.table, &factor.table->bytes};
    return function;
}

/// The sum of functions of the same variables, as a full table over their domains.
Function added(const std::vector<int> &domains, const std::vector<Function> &terms) {
    Function sum;
    sum.variables = terms[0].variables;
    std::vector<const Function *> pointers;
    bool any_bytes = false;
    for (const Function &term : terms) {
        pointers.push_back(&term);
        any_bytes |= term.bytes != nullptr;
    }
    const auto size = static_cast<std::size_t>(table_size(domains, sum.variables));
    auto seconds = std::make_shared<std::vector<double>>();
    auto bytes = std::make_shared<std::vector<double>>();
    seconds->reserve(size);
    Odometer odometer(domains, sum.variables, pointers);
    do {
        double s = 0;
        double b = 0;
        for (std::size_t f = 0; f < terms.size(); ++f) {
            s += (*terms[f].seconds)[odometer.offset(f)];
            b += terms[f].bytes ? (*terms[f].bytes)[odometer.offset(f)] : 0;
        }
        seconds->push_back(s);
        if (any_bytes)
            bytes->push_back(b);
    } while (odometer.next());
    sum.seconds = std::move(seconds);
    if (any_bytes)
        sum.bytes = std::move(bytes);
    int stride = 1;
    sum.offsets.resize(sum.variables.size());
    for (std::size_t i = sum.variables.size(); i-- > 0;) {
        std::vector<int> values(domains[sum.variables[i]]);
        std::iota(values.begin(), values.end(), 0);
        sum.offsets[i] = scaled(values, stride);
        stride *= domains[sum.variables[i]];
    }
    return sum;
}

/// Adding is worth while the full table stays small.
constexpr double largest_sum = 1 << 18;

} // namespace

double table_size(const std::vector<int> &domains, const std::vector<int> &scope) {
    return std::accumulate(scope.begin(), scope.end(), 1.0,
                           [&](double product, int variable) { return product * domains[variable]; });
}

std::vector<Function> functions(const Problem &problem) {
    std::map<std::vector<int>, std::vector<const Factor *>> groups; // by variables
    for (const Factor &factor : problem.factors)
        groups[factor.variables].push_back(&factor);
    std::map<std::vector<const void *>, Function> known; // sums by what was added
    std::vector<Function> result;
    for (const auto &[variables, factors] : groups) {
        if (factors.size() == 1 || table_size(problem.domains, variables) > largest_sum) {
            for (const Factor *factor : factors)
                result.push_back(as_function(*factor));
            continue;
        }
        std::vector<const void *> key;
        for (const Factor *factor : factors) {
            key.push_back(factor->table.get());
            key.push_back(factor->count_bytes ? factor->table->bytes.data() : nullptr);
            for (const auto &classes : factor->class_of)
                key.push_back(classes.get());
        }
        auto sum = known.find(key);
        if (sum == known.end()) {
            std::vector<Function> terms;
            for (const Factor *factor : factors)
                terms.push_back(as_function(*factor));
            sum = known.emplace(key, added(problem.domains, terms)).first;
        }
        result.push_back(sum->second);
        result.back().variables = variables;
    }
    return result;
}

std::vector<Bucket> elimination_order(const std::vector<int> &domains, const std::vector<Function> &functions) {
    const std::size_t count = domains.size();
    std::vector<std::set<int>> neighbours(count);
    for (const Function &function : functions)
        for (int a : function.variables)
            for (int b : function.variables)
                if (a != b)
                    neighbours[a].insert(b);
    const auto rank = [&](int variable) {
        double joint = domains[variable];
        for (int other : neighbours[variable])
            joint *= domains[other];
        return std::tuple(neighbours[variable].size(), joint, variable);
    };
    std::set<std::tuple<std::size_t, double, int>> queue;
    for (int variable = 0; variable < static_cast<int>(count); ++variable)
        queue.insert(rank(variable));
    std::vector<Bucket> order;
    while (!queue.empty()) {
        const int variable = std::get<2>(*queue.begin());
        queue.erase(queue.begin());
        const std::vector<int> scope(neighbours[variable].begin(), neighbours[variable].end());
        order.push_back({variable, scope});
        for (int a : scope) {
            queue.erase(rank(a));
            neighbours[a].erase(variable);
            for (int b : scope)
                if (a != b)
                    neighbours[a].insert(b);
        }
        for (int a : scope)
            queue.insert(rank(a));
    }
    return order;
}

Odometer::Odometer(const std::vector<int> &domains, const std::vector<int> &scope,
                   const std::vector<const Function *> &functions)
    : offsets_(functions.size(), 0) {
    for (int variable : scope) {
        Wheel &wheel = wheels_.emplace_back();
        wheel.domain = domains[variable];
        for (std::size_t f = 0; f < functions.size(); ++f)
            for (std::size_t i = 0; i < functions[f]->variables.size(); ++i)
                if (functions[f]->variables[i] == variable) {
                    wheel.moved.emplace_back(f, functions[f]->offsets[i]->data());
                    offsets_[f] += (*functions[f]->offsets[i])[0];
                }
    }
}

bool Odometer::next() {
    for (std::size_t w = wheels_.size(); w-- > 0;) {
        Wheel &wheel = wheels_[w];
        const int old = wheel.value;
        wheel.value = old + 1 < wheel.domain ? old + 1 : 0;
        for (const auto &[function, offsets] : wheel.moved)
            offsets_[function] +=
                static_cast<std::size_t>(offsets[wheel.value]) - static_cast<std::size_t>(offsets[old]);
        if (wheel.value != 0)
            return true;
    }
    return false;
}

} // namespace planc::plan
