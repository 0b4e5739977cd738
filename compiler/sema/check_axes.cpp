#include "sema/layout_rules.h"
#include "sema/layouts.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(two_loops_on_one_axis, error, "layer '{0}' has both '{1}' and '{2}' on axis '{3}'"); // P6

namespace {

void check_operation(const Network &network, const Operation &operation,
                     const std::map<std::string, const Rule *> &rules, const Context &context) {
    std::map<std::string, const Rule *> taken; // axis -> the rule that takes it
    for (const std::string &loop : loop_names(network, operation)) {
        const auto rule = rules.find(loop);
        if (rule == rules.end())
            continue;
        for (const std::string &axis : rule->second->axes) {
            const auto [entry, fresh] = taken.emplace(axis, rule->second);
            if (fresh)
                continue;
            // In the order of the file: the error at the later rule, the note at the earlier.
            const bool swapped = entry->second->where.begin > rule->second->where.begin;
            const Rule &first = swapped ? *rule->second : *entry->second;
            const Rule &second = swapped ? *entry->second : *rule->second;
            context.fail(two_loops_on_one_axis, second.where,
                         {operation.layer, first.dimension, second.dimension, axis},
                         {{first.where, "'" + first.dimension + "' is put there by this rule"}});
        }
    }
}

void check_network(const Layout &layout, const Network &network, const Context &context) {
    const ResolvedLayout resolved = resolve_layout(layout, network);
    for (const Operation &operation : network.operations) {
        const auto rules = resolved.find(operation.layer);
        const bool computes = operation.kind != OperationKind::input && operation.kind != OperationKind::parameter;
        if (computes && rules != resolved.end())
            check_operation(network, operation, rules->second, context);
    }
}

} // namespace

void check_axes(const Layout &layout, const Analysis &analysis) {
    for (const Network &network : analysis.program.networks)
        check_network(layout, network, analysis.context);
    for (const Train &train : analysis.program.trains)
        check_network(layout, train.loss, analysis.context);
}

} // namespace planc::sema
