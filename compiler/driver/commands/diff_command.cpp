// planc diff: two files, or two layouts or numbers of ranks of one.

#include "driver/commands/commands.h"
#include "driver/compilation.h"

#include "cost/reports/comparison.h"
#include "cost/reports/report.h"

#include <iostream>

namespace planc::driver {

namespace {

/// The second of two values if there are two, else the only one.
template <class T> const T &of_side(const std::vector<T> &values, bool second) {
    return second ? values.back() : values.front();
}

Options options_of(const Options &options, bool second) {
    Options side = options;
    const ValueLists &lists = options.lists;
    side.file = of_side(lists.files, second);
    if (!lists.layouts.empty())
        side.layout = of_side(lists.layouts, second);
    if (!lists.ranks.empty())
        side.ranks = of_side(lists.ranks, second);
    return side;
}

std::string words(const Compilation &compilation, const Options &options) {
    const cost::CostTable &table = *compilation.plan().cost;
    return options.file + ", layout " + compilation.request().layout + " on " + std::to_string(table.mesh.ranks()) +
           " ranks (" + cost::mesh_words(table.axes, table.mesh) + ") of machine " +
           compilation.request().request.machine.name;
}

} // namespace

int diff_command(const Options &options) {
    const Options options_a = options_of(options, false);
    const Options options_b = options_of(options, true);
    Compilation a(options_a);
    if (!a.plan_only())
        return a.exit_code();
    Compilation b(options_b);
    if (!b.plan_only())
        return b.exit_code();
    std::optional<cost::Seconds> overlap_a;
    if (!a.find_step_with_overlap(overlap_a))
        return a.exit_code();
    std::optional<cost::Seconds> overlap_b;
    if (!b.find_step_with_overlap(overlap_b))
        return b.exit_code();
    const cost::Comparison comparison = cost::compare(*a.plan().cost, *b.plan().cost, overlap_a, overlap_b);
    const cost::Sides sides{words(a, options_a), words(b, options_b)};
    std::cout << (options.format == ReportFormat::json ? cost::json_report(comparison, sides)
                                                       : cost::text_report(comparison, sides));
    return done;
}

} // namespace planc::driver
