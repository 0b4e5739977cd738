#include "sema/layouts/layout_rules.h"
#include "sema/layouts/layouts.h"

#include <algorithm>
#include <set>

namespace planc::sema {

PLANC_DIAGNOSTIC(two_loops_on_one_axis, error, "layer '{0}' has both '{1}' and '{2}' on axis '{3}'"); // P6

namespace {

std::int64_t elements_behind(const TensorType &tensor, std::size_t index) {
    std::int64_t elements = 1; // a tensor's size fits 64 bits
    for (std::size_t i = index + 1; i < tensor.dimensions.size(); ++i)
        elements *= tensor.dimensions[i].extent;
    return elements;
}

/// Whether dimension `index` of a reshape's operand or result is kept: the other tensor has the same role and extent,
/// followed by as many elements.
bool kept(const TensorType &type, std::size_t index, const TensorType &other) {
    const auto same = std::find(other.dimensions.begin(), other.dimensions.end(), type.dimensions[index]);
    return same != other.dimensions.end() &&
           elements_behind(type, index) ==
               elements_behind(other, static_cast<std::size_t>(same - other.dimensions.begin()));
}

/// Whether dimension `index` of `whole` appears in `parts` as the dimension `major` and the one after it.
bool parted(const TensorType &whole, std::size_t index, const TensorType &parts, std::size_t major) {
    if (major + 1 >= parts.dimensions.size() || parts.dimensions[major].extent == 1 || kept(whole, index, parts) ||
        kept(parts, major, whole) || kept(parts, major + 1, whole))
        return false;
    return parts.dimensions[major].extent * parts.dimensions[major + 1].extent == whole.dimensions[index].extent &&
           elements_behind(parts, major + 1) == elements_behind(whole, index);
}

/// Whether a reshape can be split along dimension `index` of its result: the dimension is kept, is the first part of
/// one of the operand's dimensions, or merges two of them.
bool split_by(const TensorType &result, std::size_t index, const TensorType &operand) {
    if (kept(result, index, operand))
        return true;
    for (std::size_t i = 0; i < operand.dimensions.size(); ++i)
        if (parted(operand, i, result, index) || parted(result, index, operand, i))
            return true;
    return false;
}

/// Loops that an operation cannot split. A rule on them leaves them whole (P12).
std::set<std::string> whole_loops(const Network &network, const Operation &operation) {
    if (operation.kind == OperationKind::slice || operation.kind == OperationKind::concat)
        return {operation.roles.front()};
    std::set<std::string> whole;
    if (operation.kind == OperationKind::attention) // its loops from that over the keys on
        for (std::size_t i = operation.type.dimensions.size(); i-- > 0;)
            whole.insert(operation.loops[operation.loops.size() - 1 - i].name);
    for (const Window &window : operation.windows)
        if (window.kernel_loop >= 0) // no dimension has a pool's
            whole.insert(operation.loops[static_cast<std::size_t>(window.kernel_loop)].name);
    if (operation.kind != OperationKind::reshape)
        return whole;
    const TensorType &operand = network.operations[static_cast<std::size_t>(operation.operands.front())].type;
    for (const TensorType *type : {&operand, &operation.type})
        for (const Dimension &dimension : type->dimensions)
            whole.insert(dimension.role);
    for (std::size_t i = 0; i < operation.type.dimensions.size(); ++i)
        if (split_by(operation.type, i, operand))
            whole.erase(operation.type.dimensions[i].role);
    return whole;
}

void check_operation(const Network &network, const Operation &operation,
                     const std::map<std::string, const Rule *> &rules, const Context &context) {
    std::map<std::string, const Rule *> taken; // axis -> the rule that takes it
    const std::set<std::string> whole = whole_loops(network, operation);
    for (const std::string &loop : loop_names(network, operation)) {
        const auto rule = rules.find(loop);
        if (rule == rules.end() || whole.contains(loop))
            continue;
        for (const std::string &axis : rule->second->axes) {
            const auto [entry, fresh] = taken.emplace(axis, rule->second);
            if (fresh)
                continue;
            // In the order of the file: the error is at the later rule, the note at the earlier one.
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
