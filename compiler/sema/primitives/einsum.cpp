// einsum(x, w -> [.., out]): the sum over all dimensions that the result lacks. Dimensions of operands are one loop if
// the layer's signature calls them by one name, or, outside of signatures, if they have the same role.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(einsum_without_result, error,
                 "'einsum' needs '-> [dimensions of the result]' after its last operand");           // O2
PLANC_DIAGNOSTIC(einsum_unknown_dimension, error, "no operand of '{0}' has dimension '{1}'");        // O2
PLANC_DIAGNOSTIC(einsum_repeated_dimension, error, "an operand of '{0}' has dimension '{1}' twice"); // O2

namespace {

/// The loop of the same name: in the signature if it is named there, else outside of it.
template <class Loops> auto find_same_name(Loops &loops, const DimensionValue &dimension) {
    return std::find_if(loops.begin(), loops.end(), [&](const auto &loop) {
        return loop.symbol == dimension.symbol &&
               (dimension.symbol != DimensionValue::by_role || loop.role == dimension.role);
    });
}

/// The loop of the same role, where only one of the two is named in the signature. Not one of `taken`: in a weight
/// [in, hidden] the name `hidden` is another loop than `in`, even if x: [.., in] brings a hidden.
template <class Loops>
auto find_same_role(Loops &loops, const DimensionValue &dimension, const std::vector<int> &taken = {}) {
    for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
        const bool one_has_none =
            dimension.symbol == DimensionValue::by_role || loop->symbol == DimensionValue::by_role;
        const bool free = std::find(taken.begin(), taken.end(), static_cast<int>(loop - loops.begin())) == taken.end();
        if (one_has_none && loop->role == dimension.role && free)
            return loop;
    }
    return loops.end();
}

/// The only loop of the role, whatever the signature calls it.
template <class Loops> auto find_only_role(Loops &loops, const DimensionValue &dimension) {
    const auto of_role = [&](const auto &loop) { return loop.role == dimension.role; };
    return std::count_if(loops.begin(), loops.end(), of_role) == 1 ? std::find_if(loops.begin(), loops.end(), of_role)
                                                                   : loops.end();
}

} // namespace

std::vector<Elaborator::LoopOf> Elaborator::loops_of(const std::string &function,
                                                     const std::vector<TensorValue> &operands, Operation &operation,
                                                     SourceRange where) const {
    std::vector<LoopOf> loops;
    for (const TensorValue &operand : operands) {
        std::vector<int> same_name;
        for (const DimensionValue &dimension : operand.dimensions)
            if (const auto loop = find_same_name(loops, dimension); loop != loops.end())
                same_name.push_back(static_cast<int>(loop - loops.begin()));
        std::vector<int> places;
        for (const DimensionValue &dimension : operand.dimensions) {
            auto loop = find_same_name(loops, dimension);
            if (loop == loops.end())
                loop = find_same_role(loops, dimension, same_name);
            if (loop == loops.end()) {
                loops.push_back({dimension.symbol, dimension.role, dimension.role, dimension});
                loop = loops.end() - 1;
            }
            check_equal_extents(function, loop->first, dimension, where);
            if (dimension.role.size() > loop->name.size())
                loop->name = dimension.role; // the role with primes
            const int place = static_cast<int>(loop - loops.begin());
            if (std::find(places.begin(), places.end(), place) != places.end())
                fail(einsum_repeated_dimension, where, {function, dimension.role});
            places.push_back(place);
        }
        operation.operand_loops.push_back(std::move(places));
    }
    // Loops of different names in the signature may have the same role: the last one keeps it, the others are primed.
    for (std::size_t i = loops.size(); i-- > 0;)
        while (std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end(),
                           [&](const LoopOf &other) { return other.name == loops[i].name; }))
            loops[i].name += '\'';
    return loops;
}

std::vector<DimensionValue> Elaborator::result_names(const syntax::Expression &target) {
    const auto *list = std::get_if<syntax::List>(&target.node);
    if (!list)
        fail(einsum_without_result, target.where, {});
    std::vector<DimensionValue> names;
    for (const syntax::ListItem &item : list->items) {
        std::vector<DimensionValue> some;
        const auto *word =
            item.kind == syntax::ListItem::Kind::value ? std::get_if<syntax::Reference>(&item.value->node) : nullptr;
        if (item.kind == syntax::ListItem::Kind::rest) {
            some = rest(item.where);
        } else if (item.kind == syntax::ListItem::Kind::spread) {
            some = spread(*item.name);
        } else if (word) {
            const Value value = dimension_reference(word->name, item.where);
            some = expect_dimensions(context(), value, item.where, "a dimension of the result");
        } else {
            fail(einsum_without_result, item.where, {},
                 {hint("the result lists names of dimensions; their extents follow from the operands")});
        }
        for (DimensionValue &dimension : some) {
            dimension.where = item.where;
            names.push_back(dimension);
        }
    }
    return names;
}

/// Suggests the loops of the role, by their names in the signature; if there are none, a loop with a similar name.
std::vector<Note> Elaborator::loops_like(const DimensionValue &wanted, const std::vector<LoopOf> &loops) const {
    std::vector<std::string> candidates;
    std::string names;
    for (const LoopOf &loop : loops) {
        candidates.push_back(loop.name);
        for (const auto &[name, dimensions] : frame_->bound)
            for (const DimensionValue &dimension : dimensions)
                if (loop.role == wanted.role && loop.symbol == dimension.symbol)
                    names += (names.empty() ? "'" : " and '") + name + "'";
    }
    if (names.empty())
        return Context::suggestion(wanted.role, candidates);
    return {hint("several dimensions of that role meet here: the signature calls them " + names)};
}

std::vector<DimensionValue> Elaborator::einsum_result(const std::string &function, const syntax::Expression &target,
                                                      std::vector<LoopOf> &loops, Operation &operation) {
    std::vector<DimensionValue> dimensions;
    for (const DimensionValue &wanted : result_names(target)) {
        auto loop = find_same_name(loops, wanted);
        if (loop == loops.end())
            loop = find_same_role(loops, wanted);
        if (loop == loops.end())
            loop = find_only_role(loops, wanted);
        if (loop == loops.end()) {
            fail(einsum_unknown_dimension, wanted.where, {function, wanted.role}, loops_like(wanted, loops));
        }
        dimensions.push_back({wanted.role, loop->first.extent, loop->symbol, loop->first.where});
        operation.result_loops.push_back(static_cast<int>(loop - loops.begin()));
    }
    return dimensions;
}

Value Elaborator::einsum(const syntax::Call &call, SourceRange where) {
    if (call.arguments.empty() || call.arguments.back().kind != syntax::CallArgument::Kind::mapping)
        fail(einsum_without_result, call.callee.where, {});
    Operation operation;
    operation.kind = OperationKind::einsum;
    std::vector<TensorValue> operands;
    for (const syntax::CallArgument &argument : call.arguments) {
        const bool last = &argument == &call.arguments.back();
        const bool fits = last || argument.kind == syntax::CallArgument::Kind::positional;
        if (!fits)
            fail(einsum_without_result, argument.where, {});
        operands.push_back(expect_tensor(evaluate(*argument.value), argument.value->where, "an operand of 'einsum'"));
        check_floating("einsum", operands.back(), argument.value->where);
        operation.operands.push_back(operands.back().id);
    }
    check_same_element("einsum", operands, where);
    std::vector<LoopOf> loops = loops_of("einsum", operands, operation, where);
    std::vector<DimensionValue> dimensions = einsum_result("einsum", *call.arguments.back().target, loops, operation);
    for (const LoopOf &loop : loops)
        operation.loops.push_back({loop.name, loop.first.extent});
    return {append(std::move(operation), std::move(dimensions), operands.front().element, where)};
}

} // namespace planc::sema
