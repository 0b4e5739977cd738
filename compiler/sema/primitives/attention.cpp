// fused_attention (O26): its dimensions, and which keys a query sees.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>
#include <map>

namespace planc::sema {

PLANC_DIAGNOSTIC(no_attention_dimension, error, "'fused_attention' needs dimension '{0}' in its {1}, got {2}"); // O26
PLANC_DIAGNOSTIC(keys_among_queries, error,
                 "'fused_attention' sums over '{0}' of its keys and values, which its queries have too: rename one of "
                 "them; the queries are {1}"); // O26
PLANC_DIAGNOSTIC(
    not_of_keys, error,
    "dimension '{0}' of 'fused_attention' is one of its queries and its values, but not of its keys"); // O26
PLANC_DIAGNOSTIC(not_of_queries_alone, error,
                 "'causal' names a dimension that only the queries of 'fused_attention' have, such as 'position', not "
                 "'{0}'"); // O26
PLANC_DIAGNOSTIC(window_without_order, error,
                 "'window' of 'fused_attention' counts keys before a query: add 'causal = DIMENSION'"); // O26
PLANC_DIAGNOSTIC(
    not_a_mask, error,
    "'seen' of 'fused_attention' is an i32 tensor with dimensions of the scores, such as [batch, {0}], got "
    "{1}"); // O26

namespace {

bool has(const std::vector<DimensionValue> &dimensions, const std::string &role) {
    return std::any_of(dimensions.begin(), dimensions.end(), [&](const auto &each) { return each.role == role; });
}

/// The loops over the scores, then that over the features, then those over the values' own dimensions.
class Loops {
  public:
    Loops(Operation &operation, const TensorValue &q, const TensorValue &k) : operation_(operation) {
        for (const DimensionValue &each : q.dimensions)
            if (each.role != operation.roles[1])
                by_role_[each.role] = add(each);
        for (const std::string &role : operation.roles) // the keys, the features
            if (!by_role_.contains(role))
                by_role_[role] = add(*std::find_if(k.dimensions.begin(), k.dimensions.end(),
                                                   [&](const auto &each) { return each.role == role; }));
    }

    /// With dimensions of their own.
    std::vector<int> of_values(const std::vector<DimensionValue> &dimensions) {
        std::vector<int> loops;
        for (const DimensionValue &each : dimensions) {
            const bool own = each.role == operation_.roles[1] || !by_role_.contains(each.role);
            if (own && !own_.contains(each.role))
                own_[each.role] = add(each);
            loops.push_back(own ? own_.at(each.role) : by_role_.at(each.role));
        }
        return loops;
    }
    [[nodiscard]] std::vector<int> of(const TensorValue &tensor) const {
        std::vector<int> loops;
        for (const DimensionValue &each : tensor.dimensions)
            loops.push_back(by_role_.at(each.role));
        return loops;
    }

  private:
    int add(const DimensionValue &dimension) {
        std::string name = dimension.role;
        while (std::any_of(operation_.loops.begin(), operation_.loops.end(),
                           [&](const Loop &loop) { return loop.name == name; }))
            name += '\'';
        operation_.loops.push_back({name, dimension.extent});
        return static_cast<int>(operation_.loops.size()) - 1;
    }

    Operation &operation_;
    std::map<std::string, int> by_role_;
    std::map<std::string, int> own_;
};

} // namespace

Value Elaborator::fused_attention(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call,
                              {"queries", "keys", "values", "over", "dot", "causal", "window", "seen"});
    const auto operand = [&](const char *name) {
        const TensorValue tensor = tensor_argument(arguments, name);
        check_floating("fused_attention", tensor, arguments.require(name).where);
        return tensor;
    };
    const TensorValue queries = operand("queries");
    const TensorValue keys = operand("keys");
    const TensorValue values = operand("values");
    check_same_element("fused_attention", {queries, keys, values}, where);
    Operation operation;
    operation.kind = OperationKind::attention;
    operation.operands = {queries.id, keys.id, values.id};
    for (const char *name : {"over", "dot", "causal"})
        if (const syntax::CallArgument *given = arguments.find(name))
            operation.roles.push_back(
                expect_dimension(context(), constant_argument(*given), given->where, arguments.what(name)).role);
        else if (operation.roles.size() < 2)
            static_cast<void>(arguments.require(name));
    check_attended(arguments, operation.roles, queries, keys, values);
    std::vector<DimensionValue> result = attention_result(operation.roles[1], queries, keys, values);
    check_attended_extents(operation.roles[1], {queries, keys, values}, where);
    Loops loops(operation, queries, keys);
    operation.operand_loops = {loops.of(queries), loops.of(keys), loops.of_values(values.dimensions)};
    operation.result_loops = loops.of_values(result);
    if (const syntax::CallArgument *window = arguments.find("window")) {
        if (operation.roles.size() < 3)
            fail(window_without_order, window->where, {});
        operation.begin = expect_integer_in(context(), constant_argument(*window), window->where,
                                            arguments.what("window"), 1, std::numeric_limits<std::int32_t>::max());
    }
    if (arguments.find("seen")) {
        const TensorValue mask = attention_mask(arguments, operation.roles, queries);
        check_attended_extents(operation.roles[1], {queries, keys, mask}, where);
        operation.operands.push_back(mask.id);
        operation.operand_loops.push_back(loops.of(mask));
    }
    return {append(std::move(operation), std::move(result), queries.element, where)};
}

/// `roles`: of the keys, of the features, and of the position, if any.
void Elaborator::check_attended(const Arguments &arguments, const std::vector<std::string> &roles,
                                const TensorValue &queries, const TensorValue &keys, const TensorValue &values) const {
    const std::string &key = roles[0];
    const std::string &feature = roles[1];
    const auto require_in = [&](const std::string &role, const TensorValue &tensor, const char *name) {
        if (!has(tensor.dimensions, role))
            fail(no_attention_dimension, arguments.require(name).where, {role, name, to_string(tensor)});
    };
    require_in(feature, queries, "queries");
    require_in(key, keys, "keys");
    require_in(feature, keys, "keys");
    require_in(key, values, "values");
    for (const DimensionValue &each : keys.dimensions)
        if (each.role != key && each.role != feature) {
            require_in(each.role, queries, "queries");
            require_in(each.role, values, "values");
        }
    if (has(queries.dimensions, key))
        fail(keys_among_queries, arguments.require("queries").where, {key, to_string(queries)});
    for (const DimensionValue &each : values.dimensions)
        if (has(queries.dimensions, each.role) && !has(keys.dimensions, each.role))
            fail(not_of_keys, arguments.require("values").where, {each.role});
    if (roles.size() > 2 && (!has(queries.dimensions, roles[2]) || has(keys.dimensions, roles[2])))
        fail(not_of_queries_alone, arguments.require("causal").where, {roles[2]});
}

/// The queries' dimensions, with those that only the values have in the place of the features.
std::vector<DimensionValue> Elaborator::attention_result(const std::string &feature, const TensorValue &queries,
                                                         const TensorValue &keys, const TensorValue &values) const {
    std::vector<DimensionValue> result;
    for (const DimensionValue &each : queries.dimensions) {
        if (each.role != feature) {
            result.push_back(each);
            continue;
        }
        std::copy_if(values.dimensions.begin(), values.dimensions.end(), std::back_inserter(result),
                     [&](const DimensionValue &of_values) {
                         return of_values.role == feature || !has(keys.dimensions, of_values.role);
                     });
    }
    return result;
}

TensorValue Elaborator::attention_mask(const Arguments &arguments, const std::vector<std::string> &roles,
                                       const TensorValue &queries) {
    const TensorValue mask = tensor_argument(arguments, "seen");
    const bool fits = std::all_of(mask.dimensions.begin(), mask.dimensions.end(), [&](const DimensionValue &each) {
        return each.role == roles[0] || (each.role != roles[1] && has(queries.dimensions, each.role));
    });
    if (mask.element != ElementType::i32 || !fits)
        fail(not_a_mask, arguments.require("seen").where, {roles[0], to_string(mask)});
    return mask;
}

/// Dimensions of one role have one extent, but the values' own features, which come third, may be another number.
void Elaborator::check_attended_extents(const std::string &feature, const std::vector<TensorValue> &tensors,
                                        SourceRange where) const {
    std::vector<DimensionValue> known;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        for (const DimensionValue &each : tensors[i].dimensions) {
            const auto at = std::find_if(known.begin(), known.end(),
                                         [&](const DimensionValue &other) { return other.role == each.role; });
            if (at == known.end())
                known.push_back(each);
            else if (i < 2 || each.role != feature)
                check_equal_extents("fused_attention", *at, each, where);
        }
}

} // namespace planc::sema
