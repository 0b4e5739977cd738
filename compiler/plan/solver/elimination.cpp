#include "plan/solver/elimination.h"

#include "plan/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace planc::plan {

Offsets Memo::scaled(const Offsets &classes, int stride) {
    if (stride == 1)
        return classes;
    Offsets &known = scaled_[{classes, stride}];
    if (!known) {
        std::vector<int> offsets = *classes;
        for (int &offset : offsets)
            offset *= stride;
        known = one_of(std::move(offsets));
    }
    return known;
}

Offsets Memo::one_of(std::vector<int> offsets) {
    Offsets &known = all_[offsets];
    if (!known)
        known = std::make_shared<const std::vector<int>>(std::move(offsets));
    return known;
}

namespace {

Function as_function(const Factor &factor, Memo &memo) {
    Function function;
    function.variables = factor.variables;
    function.offsets.resize(factor.variables.size());
    int stride = 1;
    for (std::size_t i = factor.variables.size(); i-- > 0;) {
        function.offsets[i] = memo.scaled(factor.class_of[i], stride);
        stride *= factor.classes[i];
    }
    if (factor.table->rounded.empty())
        function.seconds = {factor.table, &factor.table->seconds};
    else
        function.rounded = {factor.table, &factor.table->rounded};
    if (factor.count_bytes && !factor.table->bytes.empty())
        function.bytes = {factor.table, &factor.table->bytes};
    return function;
}

/// Numbers keys from 0 in the order of first appearance; at most `most` of them.
class Numbering {
  public:
    explicit Numbering(std::size_t most) : slots_(std::bit_ceil(2 * most + 1)) {}
    void clear() {
        std::fill(slots_.begin(), slots_.end(), Slot{});
        count_ = 0;
    }
    int of(std::uint64_t key) {
        std::size_t at = (key * 0x9e3779b97f4a7c15U >> 32U) & (slots_.size() - 1);
        while (slots_[at].number >= 0 && slots_[at].key != key)
            at = (at + 1) & (slots_.size() - 1);
        if (slots_[at].number < 0)
            slots_[at] = {key, count_++};
        return slots_[at].number;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        int number = -1;
    };
    std::vector<Slot> slots_;
    int count_ = 0;
};

/// Classes of the values of the variable at index `place` that none of these tables distinguishes.
struct JointClasses {
    std::vector<int> of_value;
    std::vector<int> representatives; ///< a value of each class
};

JointClasses joint_classes(const std::vector<Function> &terms, std::size_t place) {
    JointClasses result;
    Numbering numbers(terms[0].offsets[place]->size()); // of class so far and offset
    for (const Function &term : terms) {
        const std::vector<int> &offsets = *term.offsets[place];
        result.of_value.resize(offsets.size(), 0);
        numbers.clear();
        for (std::size_t value = 0; value < offsets.size(); ++value) {
            const auto both =
                static_cast<std::uint64_t>(result.of_value[value]) << 32U | static_cast<std::uint32_t>(offsets[value]);
            result.of_value[value] = numbers.of(both);
        }
    }
    for (std::size_t value = 0; value < result.of_value.size(); ++value)
        if (result.of_value[value] == static_cast<int>(result.representatives.size()))
            result.representatives.push_back(static_cast<int>(value));
    return result;
}

/// The terms with classes instead of values.
std::vector<Function> by_class(const std::vector<Function> &terms, const std::vector<JointClasses> &classes) {
    std::vector<Function> result = terms;
    for (Function &term : result)
        for (std::size_t i = 0; i < classes.size(); ++i) {
            auto offsets = std::make_shared<std::vector<int>>();
            for (int value : classes[i].representatives)
                offsets->push_back((*term.offsets[i])[value]);
            term.offsets[i] = std::move(offsets);
        }
    return result;
}

template <class Number> void add_entries(const Number *entries, const std::vector<int> &offsets, double *line) {
    for (std::size_t i = 0; i < offsets.size(); ++i)
        line[i] += static_cast<double>(entries[offsets[i]]);
}

void add_line(const Function &term, std::size_t first, const std::vector<int> &offsets, std::vector<double> &line) {
    if (term.rounded)
        add_entries(term.rounded->data() + first, offsets, line.data());
    else
        add_entries(term.seconds->data() + first, offsets, line.data());
}

/// The sum of one or more functions of the same variables, by their joint classes.
Function added(const std::vector<Function> &terms, const std::vector<JointClasses> &classes, bool round, Memo &memo) {
    Function sum;
    sum.variables = terms[0].variables;
    sum.offsets.resize(classes.size());
    std::vector<int> counts;
    std::vector<int> outer; // places of all variables but the last
    int stride = 1;
    for (std::size_t i = classes.size(); i-- > 0;) {
        sum.offsets[i] = memo.scaled(memo.one_of(classes[i].of_value), stride);
        stride *= static_cast<int>(classes[i].representatives.size());
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
        counts.push_back(static_cast<int>(classes[i].representatives.size()));
        if (i + 1 < classes.size())
            outer.push_back(static_cast<int>(i));
    }
    std::vector<Function> placed = by_class(terms, classes);
    std::vector<const Function *> pointers;
    bool any_bytes = false;
    for (Function &term : placed) {
        std::iota(term.variables.begin(), term.variables.end(), 0);
        pointers.push_back(&term);
        any_bytes |= term.bytes != nullptr && !round;
    }
    const auto entries = static_cast<std::size_t>(stride);
    auto seconds = std::make_shared<std::vector<double>>(round ? 0 : entries);
    auto rounded = std::make_shared<std::vector<float>>(round ? entries : 0);
    auto bytes = std::make_shared<std::vector<double>>(any_bytes ? entries : 0, 0.0);
    Odometer odometer(counts, outer, pointers);
    std::vector<double> line(static_cast<std::size_t>(counts.back()));
    std::ptrdiff_t first = 0;
    do {
        std::fill(line.begin(), line.end(), 0.0);
        for (std::size_t f = 0; f < placed.size(); ++f) {
            const std::vector<int> &offsets = *placed[f].offsets.back();
            add_line(placed[f], odometer.offset(f), offsets, line);
            if (any_bytes && placed[f].bytes)
                add_entries(placed[f].bytes->data() + odometer.offset(f), offsets, bytes->data() + first);
        }
        if (round)
            std::transform(line.begin(), line.end(), rounded->begin() + first, rounded_down);
        else
            std::copy(line.begin(), line.end(), seconds->begin() + first);
        first += static_cast<std::ptrdiff_t>(line.size());
    } while (odometer.next());
    if (round)
        sum.rounded = std::move(rounded);
    else
        sum.seconds = std::move(seconds);
    if (any_bytes)
        sum.bytes = std::move(bytes);
    return sum;
}

/// The function with its entries in the other precision.
Function converted(Function function) {
    if (function.rounded) {
        function.seconds =
            std::make_shared<const std::vector<double>>(function.rounded->begin(), function.rounded->end());
        function.rounded = nullptr;
        return function;
    }
    auto rounded = std::make_shared<std::vector<float>>(function.seconds->size());
    std::transform(function.seconds->begin(), function.seconds->end(), rounded->begin(), rounded_down);
    function.rounded = std::move(rounded);
    function.seconds = nullptr;
    return function;
}

double entries(const std::vector<JointClasses> &classes) {
    double product = 1;
    for (const JointClasses &of_variable : classes)
        product *= static_cast<double>(of_variable.representatives.size());
    return product;
}

/// The sum of functions of one variable, by its values.
Function added_by_value(const std::vector<const Factor *> &factors, Memo &memo) {
    const std::size_t values = factors[0]->class_of[0]->size();
    auto seconds = std::make_shared<std::vector<double>>(values, 0.0);
    std::shared_ptr<std::vector<double>> bytes;
    for (const Factor *factor : factors) {
        const std::vector<int> &classes = *factor->class_of[0];
        for (std::size_t value = 0; value < values; ++value)
            (*seconds)[value] += factor->table->seconds_of(static_cast<std::size_t>(classes[value]));
        if (!factor->count_bytes || factor->table->bytes.empty())
            continue;
        if (!bytes)
            bytes = std::make_shared<std::vector<double>>(values, 0.0);
        for (std::size_t value = 0; value < values; ++value)
            (*bytes)[value] += factor->table->bytes[classes[value]];
    }
    std::vector<int> offsets(values);
    std::iota(offsets.begin(), offsets.end(), 0);
    return {factors[0]->variables, {memo.one_of(std::move(offsets))}, std::move(seconds), std::move(bytes)};
}

/// The factors, which have the same variables, as one function, or as several if that would be too large. `round`:
/// functions of two variables are rounded.
std::vector<Function> joined(const std::vector<const Factor *> &factors, bool round, Memo &memo) {
    if (factors.size() > 1 && factors[0]->variables.size() == 1)
        return {added_by_value(factors, memo)};
    std::vector<Function> terms;
    for (const Factor *factor : factors)
        terms.push_back(as_function(*factor, memo));
    round = round && terms[0].variables.size() == 2;
    std::vector<JointClasses> classes;
    for (std::size_t i = 0; i < terms[0].variables.size() && terms.size() > 1; ++i)
        classes.push_back(joint_classes(terms, i));
    if (!classes.empty() && entries(classes) <= most_joint_entries)
        return {added(terms, classes, round, memo)};
    for (Function &term : terms)
        if ((term.rounded != nullptr) != round)
            term = converted(std::move(term));
    return terms;
}

} // namespace

double table_size(const std::vector<int> &domains, const std::vector<int> &scope) {
    return std::accumulate(scope.begin(), scope.end(), 1.0,
                           [&](double product, int variable) { return product * domains[variable]; });
}

namespace {

std::vector<Function> functions(const Problem &problem, Memo &memo, bool round) {
    std::map<std::vector<int>, std::vector<const Factor *>> groups; // by variables
    for (const Factor &factor : problem.factors)
        groups[factor.variables].push_back(&factor);
    std::vector<Function> result;
    for (const auto &[variables, factors] : groups) {
        Memo::Key key;
        for (const Factor *factor : factors) {
            key.push_back(factor->table.get());
            key.push_back(factor->count_bytes ? factor->table->bytes.data() : nullptr);
            for (const auto &classes : factor->class_of)
                key.push_back(classes.get());
        }
        auto sum = memo.sums.find(key);
        if (sum == memo.sums.end())
            sum = memo.sums.emplace(std::move(key), joined(factors, round, memo)).first;
        for (const Function &function : sum->second) {
            result.push_back(function);
            result.back().variables = variables;
        }
    }
    return result;
}

} // namespace

std::vector<Function> functions(const Problem &problem, Memo &memo) {
    return functions(problem, memo, false);
}

std::vector<Function> rounded_functions(const Problem &problem) {
    Memo memo;
    return functions(problem, memo, true);
}

/// What was eliminated last is put off, even if its table is smaller by up to this power of two. A chain is then halved
/// instead of being followed from its end: halves are alike, and only the first of them costs anything.
static constexpr int most_for_depth = 4;

std::vector<Bucket> elimination_order(const std::vector<int> &domains, const std::vector<Function> &functions) {
    const std::size_t count = domains.size();
    std::vector<std::set<int>> neighbours(count);
    std::vector<int> depth(count, 0);
    for (const Function &function : functions)
        for (int a : function.variables)
            for (int b : function.variables)
                if (a != b)
                    neighbours[a].insert(b);
    const auto rank = [&](int variable) {
        double joint = domains[variable];
        for (int other : neighbours[variable])
            joint *= domains[other];
        const int size = std::ilogb(std::min(joint, 1e300)) + std::min(depth[variable] / 4, most_for_depth);
        return std::tuple(size, depth[variable], variable);
    };
    std::set<std::tuple<int, int, int>> queue;
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
            depth[a] = std::max(depth[a], depth[variable] + 1);
            for (int b : scope)
                if (a != b)
                    neighbours[a].insert(b);
            queue.insert(rank(a));
        }
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
