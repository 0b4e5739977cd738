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

/// An argument that is a tensor, for messages.
struct Given {
    TensorValue tensor;
    const char *name; ///< "queries"
    SourceRange where;
};

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
    const auto given = [&](const char *name) {
        const TensorValue tensor = tensor_argument(arguments, name);
        const SourceRange place = arguments.require(name).where;
        check_floating("fused_attention", tensor, place);
        return Given{tensor, name, place};
    };
    const auto dimension = [&](const syntax::CallArgument &named, const char *name) {
        return expect_dimension(context(), constant_argument(named), named.where, arguments.what(name)).role;
    };
    const Given q = given("queries");
    const Given k = given("keys");
    const Given v = given("values");
    check_same_element("fused_attention", {q.tensor, k.tensor, v.tensor}, where);
    const std::string key = dimension(arguments.require("over"), "over");
    const std::string feature = dimension(arguments.require("dot"), "dot");
    const auto require_in = [&](const std::string &role, const Given &of) {
        if (!has(of.tensor.dimensions, role))
            fail(no_attention_dimension, of.where, {role, of.name, to_string(of.tensor)});
    };
    require_in(feature, q);
    require_in(key, k);
    require_in(feature, k);
    require_in(key, v);
    for (const DimensionValue &each : k.tensor.dimensions)
        if (each.role != key && each.role != feature) {
            require_in(each.role, q);
            require_in(each.role, v);
        }
    if (has(q.tensor.dimensions, key))
        fail(keys_among_queries, q.where, {key, to_string(q.tensor)});
    std::vector<DimensionValue> result;
    std::vector<DimensionValue> own;
    for (const DimensionValue &each : v.tensor.dimensions) {
        const bool shared = each.role != feature && has(k.tensor.dimensions, each.role);
        if (!shared && each.role != feature && has(q.tensor.dimensions, each.role))
            fail(not_of_keys, v.where, {each.role});
        if (!shared)
            own.push_back(each);
    }
    for (const DimensionValue &each : q.tensor.dimensions) {
        if (each.role == feature)
            result.insert(result.end(), own.begin(), own.end());
        else
            result.push_back(each);
    }
    check_attended_extents({q.tensor, k.tensor}, where);
    std::vector<DimensionValue> without_feature = v.tensor.dimensions;
    std::erase_if(without_feature, [&](const DimensionValue &each) { return each.role == feature; });
    check_attended_extents({q.tensor, k.tensor, {-1, v.tensor.element, without_feature}}, where);

    Operation operation;
    operation.kind = OperationKind::attention;
    operation.operands = {q.tensor.id, k.tensor.id, v.tensor.id};
    operation.roles = {key, feature};
    Loops loops(operation, q.tensor, k.tensor);
    operation.operand_loops = {loops.of(q.tensor), loops.of(k.tensor), loops.of_values(v.tensor.dimensions)};
    operation.result_loops = loops.of_values(result);
    if (const syntax::CallArgument *causal = arguments.find("causal")) {
        const std::string position = dimension(*causal, "causal");
        if (!has(q.tensor.dimensions, position) || has(k.tensor.dimensions, position))
            fail(not_of_queries_alone, causal->where, {position});
        operation.roles.push_back(position);
    }
    if (const syntax::CallArgument *window = arguments.find("window")) {
        if (operation.roles.size() < 3)
            fail(window_without_order, window->where, {});
        operation.begin = expect_integer_in(context(), constant_argument(*window), window->where,
                                            arguments.what("window"), 1, std::numeric_limits<std::int32_t>::max());
    }
    if (const syntax::CallArgument *seen = arguments.find("seen")) {
        const TensorValue mask = tensor_argument(arguments, "seen");
        const bool fits = std::all_of(mask.dimensions.begin(), mask.dimensions.end(), [&](const DimensionValue &each) {
            return each.role == key || (each.role != feature && has(q.tensor.dimensions, each.role));
        });
        if (mask.element != ElementType::i32 || !fits)
            fail(not_a_mask, seen->where, {key, to_string(mask)});
        check_attended_extents({q.tensor, k.tensor, mask}, where);
        operation.operands.push_back(mask.id);
        operation.operand_loops.push_back(loops.of(mask));
    }
    return {append(std::move(operation), std::move(result), q.tensor.element, where)};
}

/// Dimensions of one role have one extent.
void Elaborator::check_attended_extents(const std::vector<TensorValue> &tensors, SourceRange where) const {
    std::vector<DimensionValue> known;
    for (const TensorValue &tensor : tensors)
        for (const DimensionValue &each : tensor.dimensions) {
            const auto at = std::find_if(known.begin(), known.end(),
                                         [&](const DimensionValue &other) { return other.role == each.role; });
            if (at == known.end())
                known.push_back(each);
            else
                check_equal_extents("fused_attention", *at, each, where);
        }
}

} // namespace planc::sema
