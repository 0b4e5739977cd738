// Binding arguments to a signature: `x: [.., in]` gives the last dimension of x the name `in` within the layer, `..`
// the others; `over = [height, width]` in the call says instead which dimensions the last name stands for.

#include "sema/networks/elaborate.h"
#include "sema/networks/sparse_types.h"
#include "sema/values/expect.h"
#include "support/scoped.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(pattern_mismatch, error, "'{0}' of '{1}' must have the form {2}, got {3}"); // Y2
PLANC_DIAGNOSTIC(misleading_pattern, warning,
                 "'{0}' of '{1}' stands for '{2}' here, not for the dimension '{0}'"); // Y2
PLANC_DIAGNOSTIC(signature_mismatch, error, "'{0}' of '{1}' is both {2} and {3}");     // Y2
PLANC_DIAGNOSTIC(argument_type, error, "'{0}' of network '{1}' must be {2}, got {3}"); // N7
PLANC_DIAGNOSTIC(unknown_element_type, error, "unknown element type '{0}'");           // D4

namespace {

using Kind = syntax::DimensionItem::Kind;

enum class Turn : std::uint8_t { values, tensors, matrices };

Turn turn_of(const syntax::Parameter &parameter) {
    return is_sparse(parameter.type) ? Turn::matrices : parameter.type.tensor ? Turn::tensors : Turn::values;
}

bool has_rest(const syntax::Type &type) {
    return !type.dimensions.empty() && type.dimensions.front().kind == Kind::rest;
}

/// Suggests an element type for its name in another language, or for a misspelt one.
std::vector<Note> element_suggestion(const std::string &word) {
    static const std::map<std::string, std::string> known = {{"float", "f32"},   {"float32", "f32"}, {"double", "f64"},
                                                             {"float64", "f64"}, {"int", "i32"},     {"int32", "i32"}};
    if (const auto other = known.find(word); other != known.end())
        return {hint("it is called '" + other->second + "' here")};
    return Context::suggestion(word, {"f32", "f64", "i32", "bf16"});
}

std::string pattern_text(const syntax::Type &type) {
    std::string text = "[";
    for (const syntax::DimensionItem &item : type.dimensions)
        text += (text.size() > 1 ? ", " : "") + (item.kind == Kind::rest ? ".." : item.name.text);
    return text + "]";
}

/// The parameter whose last name `over` binds.
const syntax::Parameter *over_parameter(const syntax::CallableDeclaration &callable) {
    for (const syntax::Parameter &parameter : callable.parameters)
        if (turn_of(parameter) == Turn::tensors)
            return has_rest(parameter.type) && parameter.type.dimensions.size() > 1 ? &parameter : nullptr;
    return nullptr;
}

} // namespace

bool Elaborator::takes_over(const syntax::CallableDeclaration &callable) {
    const bool own = std::any_of(callable.parameters.begin(), callable.parameters.end(),
                                 [](const syntax::Parameter &parameter) { return parameter.name.text == "over"; });
    return callable.kind == syntax::CallableDeclaration::Kind::layer && !own && over_parameter(callable) != nullptr;
}

void Elaborator::bind_signature(Frame &frame, const Arguments &arguments, SourceRange call) {
    const syntax::CallableDeclaration &callable = *frame.callable;
    std::map<const syntax::Parameter *, Value> given;
    for (const syntax::Parameter &parameter : callable.parameters) {
        const std::string &name = parameter.name.text;
        const syntax::CallArgument *argument_of = parameter.fallback ? arguments.find(name) : &arguments.require(name);
        if (argument_of != nullptr)
            given[&parameter] =
                argument(*argument_of, parameter.type.tensor ? Meant::any : Meant::dimension); // no tensor fits
    }
    std::vector<DimensionValue> over;
    if (const syntax::CallArgument *list = takes_over(callable) ? arguments.find("over") : nullptr)
        over = expect_dimensions(context(), constant_argument(*list), list->where, arguments.what("over"));
    frame.over = !over.empty();
    const support::ScopedValue callee(frame_, &frame);
    // Dimension arguments first: patterns may use them. Matrices last: their roles have apostrophes.
    for (const Turn turn : {Turn::values, Turn::tensors, Turn::matrices})
        for (const syntax::Parameter &parameter : callable.parameters) {
            const auto value = given.find(&parameter);
            if (value == given.end() || turn_of(parameter) != turn)
                continue;
            const SourceRange where = arguments.require(parameter.name.text).where;
            if (turn != Turn::values)
                bind_tensor(frame, parameter, value->second, where,
                            &parameter == over_parameter(callable) ? over : std::vector<DimensionValue>{});
            else
                bind_value(frame, parameter, value->second, where);
        }
    for (const syntax::Parameter &parameter : callable.parameters) // a tensor may have said the extents of some
        if (given.contains(&parameter) && frame.bound.contains(parameter.name.text))
            for (const DimensionValue &dimension : frame.bound.at(parameter.name.text))
                static_cast<void>(expect_dimension(context(), {dimension}, arguments.require(parameter.name.text).where,
                                                   "an argument"));
    const support::ScopedElement from(analysis_.context.calls, call);
    for (const syntax::Parameter &parameter : callable.parameters)
        if (!given.contains(&parameter)) // Y5
            bind_value(frame, parameter, evaluate(*parameter.fallback, Meant::dimension), parameter.fallback->where);
}

void Elaborator::bind_value(Frame &frame, const syntax::Parameter &parameter, const Value &value, SourceRange where) {
    const std::string what = "'" + parameter.name.text + "' of '" + frame.callable->name.text + "'";
    const std::string &type = parameter.type.word->text; // one of these: check_bodies() has seen to it
    Value converted = value;
    if (type == "dim") {
        bind_dimension(frame, parameter.name.text, {expect_dimension(context(), value, where, what)}, false);
        return;
    }
    if (type == "dims") {
        bind_dimension(frame, parameter.name.text, expect_dimensions(context(), value, where, what), false);
        return;
    }
    if (type == "bool")
        converted = {expect_boolean(context(), value, where, what)};
    else if (type == "int")
        converted = {expect_integer(context(), value, where, what)};
    else if (type == "ints")
        converted = expect_integers(context(), value, where, what);
    else if (type == "float")
        converted = {expect_number(context(), value, where, what)};
    else if (type == "initializer")
        converted = {expect_initializer(context(), value, where, what)};
    else if (type == "string")
        converted = {expect_string(context(), value, where, what)};
    else if (value.get<TensorValue>() || value.get<FieldValue>())
        fail_wrong_type(context(), where, what, "a value that is known when the program is compiled", value);
    define(parameter.name, converted);
}

void Elaborator::bind_dimension(Frame &frame, const std::string &name, std::vector<DimensionValue> given,
                                bool of_tensor) {
    for (DimensionValue &dimension : given) {
        const int symbol = fresh_symbol();
        frame.origins[symbol] = {dimension};
        dimension.symbol = symbol;
        if (of_tensor)
            frame.tensor_symbols.insert(symbol);
    }
    frame.bound[name] = std::move(given);
}

void Elaborator::bind_tensor(Frame &frame, const syntax::Parameter &parameter, const Value &value, SourceRange where,
                             const std::vector<DimensionValue> &over) {
    const bool network = frame.callable->kind == syntax::CallableDeclaration::Kind::network;
    if (is_sparse(parameter.type))
        return define(parameter.name, Value{network ? matrix_argument(parameter, value, where)
                                                    : bind_matrix(frame, parameter, value, where)});
    if (network)
        return define(parameter.name, Value{network_argument(parameter, value, where)});
    const auto *data = value.get<FieldValue>();
    const std::optional<TensorType> known = data ? bound_type(frame, parameter.type) : std::nullopt;
    TensorValue tensor =
        known ? field(*data, *known, where)
              : expect_tensor(value, where, "'" + parameter.name.text + "' of '" + frame.callable->name.text + "'");
    if (parameter.type.word && element_type(parameter.type, tensor.element) != tensor.element)
        fail(argument_type, where,
             {parameter.name.text, frame.callable->name.text, parameter.type.word->text, to_string(tensor)});
    if (!frame.element_bound && tensor.element != ElementType::i32) {
        frame.element = tensor.element;
        frame.element_bound = true;
    }
    bind_pattern(frame, parameter, tensor, where, over);
    define(parameter.name, Value{std::move(tensor)});
}

std::optional<TensorType> Elaborator::bound_type(const Frame &frame, const syntax::Type &pattern) {
    TensorType type{element_type(pattern, frame.element), {}};
    for (const syntax::DimensionItem &item : pattern.dimensions) {
        const auto bound = frame.bound.find(item.kind == Kind::rest ? ".." : item.name.text);
        if (bound == frame.bound.end())
            return std::nullopt;
        for (const DimensionValue &dimension : bound->second)
            type.dimensions.push_back({dimension.role, dimension.extent});
    }
    return type;
}

void Elaborator::bind_pattern(Frame &frame, const syntax::Parameter &parameter, TensorValue &tensor, SourceRange where,
                              const std::vector<DimensionValue> &over) {
    const std::vector<syntax::DimensionItem> &items = parameter.type.dimensions;
    const bool spreads = !items.empty() && items.back().kind == Kind::spread;
    const std::vector<std::size_t> chosen = positions(tensor, spreads ? spread(items.back().name) : over, where);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < tensor.dimensions.size(); ++i)
        if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
            others.push_back(i);
    const std::size_t first_name = has_rest(parameter.type) ? 1 : 0;
    const std::size_t names = items.size() - first_name - (chosen.empty() && !spreads ? 0 : 1);
    if (others.size() < names || (first_name == 0 && others.size() > names))
        fail(pattern_mismatch, where,
             {parameter.name.text, frame.callable->name.text, pattern_text(parameter.type), to_string(tensor)});
    const std::size_t leading = others.size() - names;
    if (first_name == 1)
        bind_item(frame, items.front(), tensor, {others.begin(), others.begin() + static_cast<std::ptrdiff_t>(leading)},
                  where);
    for (std::size_t i = 0; i < names; ++i)
        bind_item(frame, items[first_name + i], tensor, {others[leading + i]}, where);
    if (!chosen.empty() || spreads)
        bind_item(frame, items.back(), tensor, chosen, where);
}

/// A name of a pattern stands for whatever dimension is there. If the name is also that of a dimension which the file
/// of the layer declares, or which the tensor has elsewhere, this one is likely meant.
void Elaborator::warn_of_other_dimension(const Frame &frame, const syntax::DimensionItem &item,
                                         const TensorValue &tensor, const std::vector<DimensionValue> &given,
                                         SourceRange where) const {
    if (item.kind != Kind::dimension || given.size() != 1 || without_primes(given.front().role) == item.name.text)
        return;
    const bool declared = analysis_.declarations.in_unit(&UnitNames::dimensions, item.name.text, frame.unit);
    const bool elsewhere =
        std::any_of(tensor.dimensions.begin(), tensor.dimensions.end(),
                    [&](const DimensionValue &dimension) { return dimension.role == item.name.text; });
    if (declared || elsewhere)
        context().report(misleading_pattern, item.where,
                         {item.name.text, frame.callable->name.text, given.front().role},
                         {{where, "given " + to_string(tensor)}});
}

void Elaborator::bind_item(Frame &frame, const syntax::DimensionItem &item, TensorValue &tensor,
                           const std::vector<std::size_t> &places, SourceRange where) {
    const std::string name = item.kind == Kind::rest ? ".." : item.name.text;
    std::vector<DimensionValue> given;
    for (const std::size_t place : places)
        given.push_back(tensor.dimensions[place]);
    warn_of_other_dimension(frame, item, tensor, given, where);
    if (!frame.bound.contains(name))
        bind_dimension(frame, name, given, true);
    std::vector<DimensionValue> &bound = frame.bound.at(name);
    for (std::size_t i = 0; i < bound.size() && i < given.size(); ++i)
        if (bound[i].extent == DimensionValue::open)
            bound[i].extent = given[i].extent; // of a list `over = [height]`, named but not sized
    // A dimension from an argument holds for all tensors. If two tensors bind a name, they must agree on the role, but
    // each keeps its own extent.
    const auto agree = [&](const DimensionValue &a, const DimensionValue &b) {
        return (a.extent == b.extent || frame.tensor_symbols.contains(a.symbol)) &&
               without_primes(a.role) == without_primes(b.role);
    };
    if (!std::equal(bound.begin(), bound.end(), given.begin(), given.end(), agree))
        fail(signature_mismatch, where, {name, frame.callable->name.text, to_string(bound), to_string(given)});
    if (item.extent)
        check_equal_extents(frame.callable->name.text,
                            {name, extent(*item.extent, name), DimensionValue::by_role, item.where}, given.front(),
                            where);
    for (std::size_t i = 0; i < places.size(); ++i) {
        tensor.dimensions[places[i]].symbol = bound[i].symbol;
        frame.origins[bound[i].symbol].push_back(given[i]);
    }
}

TensorValue Elaborator::network_argument(const syntax::Parameter &parameter, const Value &value, SourceRange where) {
    const TensorType type = declared_type(parameter.type);
    if (const auto *data = value.get<FieldValue>())
        return field(*data, type, where);
    const std::string &callee = frame_->callable->name.text;
    TensorValue tensor = expect_tensor(value, where, "'" + parameter.name.text + "' of '" + callee + "'");
    const TensorType actual = type_of(tensor);
    if (actual.element != type.element || actual.dimensions != type.dimensions)
        fail(argument_type, where, {parameter.name.text, callee, to_string(type), to_string(tensor)});
    for (DimensionValue &dimension : tensor.dimensions)
        dimension.symbol = DimensionValue::by_role;
    return tensor;
}

ElementType Elaborator::element_type(const syntax::Type &type, ElementType fallback) {
    const syntax::Name *word = is_sparse(type) ? element_of_sparse(type) : type.word ? &*type.word : nullptr;
    if (word == nullptr)
        return fallback;
    for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::i32})
        if (word->text == name(element))
            return element;
    if (word->text != "bf16")
        fail(unknown_element_type, word->where, {word->text}, element_suggestion(word->text));
    analysis_.context.not_lowered(word->where, "the element type 'bf16'");
    return ElementType::f32;
}

ElementType Elaborator::element_of(const syntax::CallableDeclaration &network) {
    for (const syntax::Parameter &parameter : network.parameters)
        if (const ElementType element = element_type(parameter.type, ElementType::f32); element != ElementType::i32)
            return element;
    for (const syntax::Type &result : network.results)
        if (const ElementType element = element_type(result, ElementType::f32); element != ElementType::i32)
            return element;
    return ElementType::f32;
}

TensorType Elaborator::declared_type(const syntax::Type &type) {
    check_dense(type);
    TensorValue tensor{-1, element_type(type, ElementType::f32), dimensions(type.dimensions)};
    check_distinct(tensor.dimensions, type.where);
    return type_of(tensor);
}

} // namespace planc::sema
