// `param w: [in, out] = glorot_uniform(…)`: parameters and their initial values.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(duplicate_parameter, error, "two parameters are named '{0}'");                           // N5
PLANC_DIAGNOSTIC(shared_differently, error, "'{0}' is {1} in this call, but {2} in an earlier one");      // N8
PLANC_DIAGNOSTIC(bad_distribution, error, "'{0}' with {1}");                                              // Y4
PLANC_DIAGNOSTIC(initial_beyond_f32, error, "initial values in f32 must lie between -3.4e38 and 3.4e38"); // Y4

/// A bound on the absolute values that the initializer gives. Draws from a normal distribution are made of 53 random
/// bits and lie within 10 deviations.
static double largest_value(const Initializer &initial) {
    return initial.kind == Initializer::Kind::normal ? std::abs(initial.a) + 10 * initial.b
                                                     : std::max(std::abs(initial.a), std::abs(initial.b));
}

/// While an object exists, dimensions with an extent on the spot have this extent: `inner` in `[k, inner: 3]`, for
/// `fan_out` of the same declaration.
class Elaborator::OwnExtents {
  public:
    OwnExtents(Elaborator &elaborator, const std::vector<syntax::DimensionItem> &items)
        : bound_(elaborator.frame_->bound), before_(bound_) {
        for (const syntax::DimensionItem &item : items)
            if (item.extent)
                bound_[item.name.text] = {elaborator.extent_on_the_spot(item.name, *item.extent)};
    }
    ~OwnExtents() { bound_ = std::move(before_); }
    OwnExtents(const OwnExtents &) = delete;
    OwnExtents &operator=(const OwnExtents &) = delete;

  private:
    std::map<std::string, std::vector<DimensionValue>> &bound_;
    std::map<std::string, std::vector<DimensionValue>> before_;
};

Initializer Elaborator::initial_value(const syntax::ParameterDeclaration &declaration) {
    const OwnExtents own(*this, declaration.type.dimensions);
    const Value start = evaluate_at(*declaration.initializer, site_outside_bindings());
    return expect_initializer(context(), start, declaration.initializer->where,
                              "the initial value of '" + declaration.name.text + "'");
}

/// Y3, in a layer; N6, in the body of a network.
void Elaborator::declare_parameter(const syntax::ParameterDeclaration &declaration, SourceRange where) {
    check_dense(declaration.type);
    const Initializer initial = initial_value(declaration);
    std::vector<DimensionValue> own = dimensions(declaration.type.dimensions);
    prime_input_sides(own);
    const std::string path = parameters_at(join(frame_->path, declaration.name.text));
    const ElementType element = element_type(declaration.type, frame_->element);
    if (const auto known = parameters_.find(path); known != parameters_.end()) {
        const std::optional<SharedCall> &first = known->second.shared;
        if (!first || !frame_->shared || first->number == frame_->shared->number)
            fail(duplicate_parameter, declaration.name.where, {path},
                 {{known->second.where, "the first one is declared here"}});
        return define(declaration.name, Value{same_parameter(known->second, {-1, element, own}, path)});
    }
    Operation operation;
    operation.kind = OperationKind::parameter;
    operation.text = path;
    operation.initializer = initial;
    operation.trained = declaration.trained;
    operation.layer = frame_->path.empty() ? declaration.name.text : parameters_at(frame_->layer);
    if (frame_->path.empty())
        register_layer(declaration.name.text, declaration.name);
    if (element == ElementType::f32 && largest_value(initial) > std::numeric_limits<float>::max())
        fail(initial_beyond_f32, declaration.initializer->where, {});
    const TensorValue tensor = append(std::move(operation), std::move(own), element, where);
    check_floating(declaration.name.text, tensor, declaration.type.where);
    parameters_[path] = {tensor, declaration.name.where, frame_->shared};
    define(declaration.name, Value{tensor});
}

std::string Elaborator::parameters_at(const std::string &path) const {
    return frame_->shared ? frame_->shared->parameters + path.substr(frame_->shared->layers.size()) : path;
}

/// A parameter that another call of a shared layer has declared.
TensorValue Elaborator::same_parameter(const DeclaredParameter &known, TensorValue declared,
                                       const std::string &path) const {
    const TensorType type = type_of(declared);
    const TensorType &first = network_->operations[static_cast<std::size_t>(known.tensor.id)].type;
    if (type.element != first.element || type.dimensions != first.dimensions)
        fail(shared_differently, frame_->shared->where, {path, to_string(type), to_string(first)},
             {{known.shared->where, "the other call is here"}});
    declared.id = known.tensor.id;
    return declared;
}

void Elaborator::prime_input_sides(std::vector<DimensionValue> &dimensions) const {
    // Dimensions that tensors bring are the input side; an argument (`out: dim`) keeps its role, and among equal roles
    // the last one keeps it.
    std::vector<std::size_t> order(dimensions.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_partition(order.begin(), order.end(),
                          [&](std::size_t i) { return !frame_->tensor_symbols.contains(dimensions[i].symbol); });
    // Arguments first, in reverse, so that the last of equals comes first and stays as it is.
    const auto tensors = std::find_if(order.begin(), order.end(), [&](std::size_t i) {
        return frame_->tensor_symbols.contains(dimensions[i].symbol);
    });
    std::reverse(order.begin(), tensors);
    std::reverse(tensors, order.end());
    std::set<std::string> taken;
    for (const std::size_t i : order) {
        if (dimensions[i].symbol != DimensionValue::by_role)
            while (taken.contains(dimensions[i].role))
                dimensions[i].role += '\'';
        taken.insert(dimensions[i].role);
    }
}

double Elaborator::fan(const Arguments &arguments, const std::string &name) {
    const syntax::CallArgument &given = arguments.require(name);
    double product = 1;
    for (const DimensionValue &dimension :
         expect_dimensions(context(), constant_argument(given), given.where, arguments.what(name)))
        product *=
            static_cast<double>(expect_dimension(context(), {dimension}, given.where, arguments.what(name)).extent);
    return product;
}

Value Elaborator::initializer(const syntax::Call &call, SourceRange where) {
    using Kind = Initializer::Kind;
    const std::string &name = call.callee.text;
    const auto number = [&](const Arguments &arguments, const char *parameter) {
        const syntax::CallArgument &given = arguments.require(parameter);
        return expect_number(context(), constant_argument(given), given.where, arguments.what(parameter));
    };
    const auto normal = [](double deviation) { return Value{Initializer{Kind::normal, 0, deviation}}; };
    const auto uniform = [](double bound) { return Value{Initializer{Kind::uniform, -bound, bound}}; };
    if (name == "zeros" || name == "ones") {
        const Arguments none(context(), call, {});
        return {Initializer{Kind::constant, name == "ones" ? 1.0 : 0.0, 0}};
    }
    if (name == "constant")
        return {Initializer{Kind::constant, number(Arguments(context(), call, {"value"}), "value"), 0}};
    if (name == "uniform" || name == "normal") {
        const bool flat = name == "uniform";
        const std::vector<std::string> names =
            flat ? std::vector<std::string>{"low", "high"} : std::vector<std::string>{"mean", "deviation"};
        const Arguments arguments(context(), call, names);
        const double a = number(arguments, names[0].c_str());
        const double b = number(arguments, names[1].c_str());
        if (flat ? b < a : b < 0)
            fail(bad_distribution, where, {name, flat ? "'low' above 'high'" : "a negative 'deviation'"});
        return {Initializer{flat ? Kind::uniform : Kind::normal, a, b}};
    }
    // Glorot and Bengio 2010, equations 12 and 16; He et al. 2015, equation 10.
    if (name.starts_with("glorot")) {
        const Arguments arguments(context(), call, {"fan_in", "fan_out"});
        const double fans = fan(arguments, "fan_in") + fan(arguments, "fan_out");
        return name == "glorot_uniform" ? uniform(std::sqrt(6 / fans)) : normal(std::sqrt(2 / fans));
    }
    const double fan_in = fan(Arguments(context(), call, {"fan_in"}), "fan_in");
    return name == "he_uniform" ? uniform(std::sqrt(6 / fan_in)) : normal(std::sqrt(2 / fan_in));
}

} // namespace planc::sema
