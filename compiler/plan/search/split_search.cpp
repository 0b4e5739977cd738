#include "plan/search/split_search.h"

#include "plan/numbers.h"

#include <algorithm>

namespace planc::plan {

namespace {

struct Node {
    double bound = 0;
    std::vector<int> fixed; ///< per variable: its value; -1: any
};

/// The problem with all values but one of each fixed variable forbidden.
Problem restricted(const Problem &problem, const std::vector<int> &fixed, double give_up_at) {
    Problem result = problem;
    result.give_up_at = give_up_at;
    for (int v = 0; v < static_cast<int>(fixed.size()); ++v) {
        if (fixed[v] < 0)
            continue;
        auto classes = std::make_shared<std::vector<int>>(problem.domains[v], 0);
        (*classes)[fixed[v]] = 1;
        result.factors.push_back(
            {{v}, {std::move(classes)}, {2}, std::make_shared<const Table>(Table{{infinity, 0}, {}}), true});
    }
    return result;
}

} // namespace

double split_search(const Problem &problem, const std::function<void(const std::vector<int> &)> &offer,
                    const std::function<double()> &best, const std::function<bool()> &is_done) {
    std::vector<bool> follows(problem.domains.size(), false);
    for (const std::size_t f : problem.binding)
        follows[problem.factors[f].variables.back()] = true;
    std::vector<Node> open{{0, std::vector<int>(problem.domains.size(), -1)}};
    while (!open.empty()) {
        const auto least =
            std::min_element(open.begin(), open.end(), [](const Node &a, const Node &b) { return a.bound < b.bound; });
        if (least->bound >= best() * (1 - rounding) || is_done())
            return std::min(least->bound, best());
        const Node node = std::move(*least);
        open.erase(least);
        const Solution solution = minimise(restricted(problem, node.fixed, best()));
        if (!solution.feasible)
            continue;
        offer(solution.values);
        std::size_t variable = 0;
        while (variable < follows.size() && (node.fixed[variable] >= 0 || follows[variable]))
            ++variable;
        if (variable == follows.size())
            continue;
        for (int value = 0; value < problem.domains[variable]; ++value) {
            open.push_back({std::max(node.bound, solution.lower_bound), node.fixed});
            open.back().fixed[variable] = value;
        }
    }
    return best();
}

} // namespace planc::plan
