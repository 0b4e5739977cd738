#include "plan/terms/objective.h"

#include "plan/terms/term_builder.h"

#include <limits>
#include <numeric>

namespace planc::plan {

namespace {

class Builder : TermBuilder {
  public:
    Builder(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
            const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, mesh, machine, storage, cache) {}

    Objective build() {
        for (std::size_t sum = 0; sum < step_.passing.size(); ++sum)
            add_sums(sum);
        for (const OperationId o : graph_.operations.ids())
            add_operation(o);
        for (const ValueId v : graph_.values.ids())
            add_value(v);
        return finished();
    }
};

} // namespace

Objective make_objective(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache) {
    return Builder(step, space, mesh, machine, storage, cache).build();
}

TermCache::TermCache(const Mesh &mesh, const Machine &machine) : known(mesh, machine), transfers(mesh, machine) {
    for (std::uint32_t set = 0; set < std::uint32_t{1} << mesh.sizes.size(); ++set) {
        bool is_of_sums = true;
        for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
            is_of_sums &= (set >> axis & 1) == 0 || mesh.sizes[axis] > 1;
        if (is_of_sums)
            sets_of_sums.push_back(set);
    }
    std::vector<int> each(sets_of_sums.size());
    std::iota(each.begin(), each.end(), 0);
    classes_of_sums = {std::make_shared<const std::vector<int>>(std::move(each)), static_cast<int>(sets_of_sums.size()),
                       -1};
}

double Problems::share(const cost::Life &life, const std::vector<std::set<OperationId>> &operations) {
    if (operations.empty())
        return life.first ? 0 : 1;
    double sum = 0;
    for (const std::set<OperationId> &alike : operations)
        sum += static_cast<double>(std::distance(alike.lower_bound(life.first), alike.upper_bound(life.last))) /
               static_cast<double>(alike.size());
    return sum / static_cast<double>(operations.size());
}

std::shared_ptr<const Table> Problems::changed(const TermTable &table, std::uint32_t forbidden, double byte_share) {
    auto &known = known_[{&table, forbidden, byte_share}];
    if (known)
        return known;
    auto changed = std::make_shared<Table>(table.prices);
    for (std::size_t i = 0; i < table.fused.size(); ++i)
        if (table.fused[i] & forbidden)
            changed->seconds[i] = std::numeric_limits<double>::infinity();
    for (double &bytes : changed->bytes)
        bytes *= byte_share;
    known = std::move(changed);
    return known;
}

Problems::Problems(const Objective &objective, double effort) : objective_(objective) {
    problem_.largest_table = static_cast<std::size_t>(effort * static_cast<double>(problem_.largest_table));
    problem_.domains = objective.domains;
    problem_.factors.reserve(objective.terms.size());
    for (const Term &term : objective.terms) {
        Factor &factor = problem_.factors.emplace_back();
        for (std::size_t i = 0; i < term.variables.size(); ++i) {
            if (term.classes[i] == 1)
                continue;
            factor.variables.push_back(term.variables[i].number());
            factor.class_of.push_back(term.class_of[i]);
            factor.classes.push_back(term.classes[i]);
        }
        if (term.binds)
            problem_.binding.push_back(problem_.factors.size() - 1);
    }
}

Problem &Problems::without(std::uint32_t forbidden, double byte_limit,
                           const std::vector<std::set<OperationId>> &operations) {
    problem_.byte_limit = byte_limit;
    problem_.give_up_at = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < objective_.terms.size(); ++t) {
        const Term &term = objective_.terms[t];
        Factor &factor = problem_.factors[t];
        const double byte_share = share(term.life, operations);
        factor.count_bytes = byte_share > 0;
        const bool all_bytes = byte_share == 0 || byte_share == 1 || term.table->prices.bytes.empty();
        if (all_bytes && (forbidden == 0 || term.table->fused.empty()))
            factor.table = {term.table, &term.table->prices};
        else
            factor.table = changed(*term.table, forbidden, all_bytes ? 1 : byte_share);
    }
    return problem_;
}

std::uint32_t Problems::used(const std::vector<int> &values) const {
    std::uint32_t sets = 0;
    for (const Term &term : objective_.terms) {
        if (term.table->fused.empty())
            continue;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < term.variables.size(); ++i)
            entry = entry * static_cast<std::size_t>(term.classes[i]) +
                    static_cast<std::size_t>((*term.class_of[i])[values[term.variables[i].index()]]);
        sets |= term.table->fused[entry];
    }
    return sets;
}

} // namespace planc::plan
