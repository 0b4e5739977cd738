// The part of TermBuilder that binds sums to the layers that decide what passes (structure.h).
#include "plan/terms/term_builder.h"

#include "plan/numbers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace planc::plan {

void TermBuilder::add_sums(std::size_t sum) {
    const OperationId o = step_.sums.operations[sum];
    const auto follows_parameter = [this](ValueId operand) {
        return static_cast<bool>(graph_.operations[graph_.values[operand].producer].parameter);
    };
    const std::vector<ValueId> &operands = graph_.operations[o].operands; // all are computed
    const bool stored =
        graph_.operations[o].parameter || std::any_of(operands.begin(), operands.end(), follows_parameter);
    add_alike(of_sums, step_.passing[sum], stored, {}, {}, [&] { make_sums(sum, stored); });
}

void TermBuilder::make_sums(std::size_t sum, bool stored) {
    const Scope &scope = step_.passing[sum];
    const OperationId o = step_.sums.operations[sum];
    std::string key = "sums " + std::to_string(scope.kind) + (stored ? storage_text() : "");
    ScopedTerm term = scoped(scope, scope.variables, std::move(key));
    merge(term, [&](const Term &bound) { return columns_of_sums(o, bound); });
    if (entries(term.term) > most_joint_entries) { // free, as if anything could pass
        objective_.is_exact = false;
        return;
    }
    find_table(term, [&](const Term &bound) {
        TermTable table;
        const LayerId own = step_.sums.of[o];
        for_each(bound, all(bound), [&](const std::vector<int> &) {
            const bool follows = cache_.sets_of_sums[chosen_[own]] == passing_axes(o);
            table.prices.seconds.push_back(follows ? 0 : std::numeric_limits<double>::infinity());
        });
        return std::make_shared<const TermTable>(std::move(table));
    });
    term.term.binds = true;
    if (!is_zero(*term.term.table)) // else there is one value
        objective_.terms.push_back(std::move(term.term));
}

/// By what the operation itself lets pass, and by what each operand is.
std::vector<TermBuilder::Column> TermBuilder::columns_of_sums(OperationId o, const Term &term) {
    std::map<std::vector<std::int64_t>, int> numbers;
    const auto number = [&](std::vector<std::int64_t> of) {
        return numbers.emplace(std::move(of), static_cast<int>(numbers.size())).first->second;
    };
    std::vector<Column> result;
    if (const LayerId layer = decided_by(o))
        result.push_back(column(term, {layer}, [&] {
            std::vector<std::int64_t> largest;
            const std::uint32_t free = known_passing(o).free[chosen_[layer]];
            for (const std::uint32_t set : cache_.sets_of_sums)
                largest.push_back((set & ~free) == 0 ? passing(o, set).largest : -1);
            return number(std::move(largest));
        }));
    for (const ValueId operand : graph_.operations[o].operands)
        result.push_back(column(term, Structure::of_origin(index_, step_.sums, operand).variables(), [&] {
            const PartialSums sums = sums_of(operand);
            return number({sums.axes, sums.largest});
        }));
    const std::vector<LayerId> itself{step_.sums.of[o]};
    result.push_back(column(term, itself, [&] { return chosen_[itself[0]]; }));
    return result;
}

/// Values of a variable are one class if no column tells them apart.
void TermBuilder::merge(ScopedTerm &scoped, const std::function<std::vector<Column>(const Term &)> &columns) {
    std::vector<std::pair<std::shared_ptr<const std::vector<int>>, int>> &merged = cache_.merged[scoped.key];
    Term &term = scoped.term;
    if (merged.empty()) {
        const std::vector<Column> all = columns(term);
        for (std::size_t i = 0; i < term.variables.size(); ++i) {
            std::map<std::vector<int>, int> known;
            std::vector<int> of_class;
            for (int c = 0; c < term.classes[i]; ++c) {
                std::vector<int> numbers;
                for (const Column &column : all)
                    for (int n = 0; column.strides[i] > 0 && n < static_cast<int>(column.numbers.size()); ++n)
                        if (n / column.strides[i] % term.classes[i] == c)
                            numbers.push_back(column.numbers[n]);
                of_class.push_back(known.emplace(std::move(numbers), static_cast<int>(known.size())).first->second);
            }
            std::vector<int> of_value = *term.class_of[i];
            for (int &each : of_value)
                each = of_class[each];
            std::shared_ptr<const std::vector<int>> &shared = cache_.merged_classes[of_value];
            if (!shared)
                shared = std::make_shared<const std::vector<int>>(std::move(of_value));
            merged.emplace_back(shared, static_cast<int>(known.size()));
        }
    }
    for (std::size_t i = 0; i < term.variables.size(); ++i)
        std::tie(term.class_of[i], term.classes[i]) = merged[i];
}

} // namespace planc::plan
