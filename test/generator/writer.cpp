#include "writer.h"

#include "optimizer.h"

#include <algorithm>
#include <utility>

namespace planc::test {

const Dimension *Value::find(const std::string &role) const {
    const auto at = std::find_if(dimensions.begin(), dimensions.end(),
                                 [&](const Dimension &dimension) { return dimension.role == role; });
    return at == dimensions.end() ? nullptr : &*at;
}

std::string names(const Dimensions &dimensions) {
    std::string text;
    for (const Dimension &dimension : dimensions)
        text += (text.empty() ? "" : ", ") + dimension.role;
    return "[" + text + "]";
}

Dimensions with_last(Dimensions dimensions, const Dimension &last) {
    dimensions.back() = last;
    return dimensions;
}

Dimensions without(const Dimensions &dimensions, const std::string &role) {
    Dimensions rest;
    for (const Dimension &dimension : dimensions)
        if (dimension.role != role)
            rest.push_back(dimension);
    return rest;
}

int elements(const Dimensions &dimensions) {
    int product = 1;
    for (const Dimension &dimension : dimensions)
        product *= dimension.extent;
    return product;
}

bool fit(const Value &a, const Value &b) {
    return std::all_of(a.dimensions.begin(), a.dimensions.end(), [&](const Dimension &dimension) {
        const Dimension *other = b.find(dimension.role);
        return other == nullptr || other->extent == dimension.extent;
    });
}

Dimensions joined(const Value &a, const Value &b) {
    Dimensions dimensions = a.dimensions;
    for (const Dimension &dimension : b.dimensions)
        if (a.find(dimension.role) == nullptr)
            dimensions.push_back(dimension);
    return dimensions;
}

Dimensions features(const Value &x) {
    return without(x.dimensions, "batch");
}

Writer::Writer(Random &random, const NetworkOptions &options)
    : random_(random), options_(options), batch_{"batch", extent()} {
    defaults_ = {batch_, {"time", random_.whole(1, 4)}};
    for (const char *role : {"pixel", "hidden", "wide", "head", "class", "feature"})
        defaults_.push_back({role, extent()});
    for (const char *role : {"height", "width", "channel"})
        if (options.convolutions)
            defaults_.push_back({role, random_.whole(1, 6)});
}

Writer::Writer(Random &random, const NetworkOptions &options, Dimensions defaults)
    : random_(random), options_(options), batch_(defaults.front()), defaults_(std::move(defaults)) {}

const Dimension &Writer::declared(const std::string &role) const {
    return *std::find_if(defaults_.begin(), defaults_.end(),
                         [&](const Dimension &dimension) { return dimension.role == role; });
}

std::string Writer::word(const Dimension &dimension) const {
    return declared(dimension.role).extent == dimension.extent
               ? dimension.role
               : dimension.role + ": " + std::to_string(dimension.extent);
}

std::string Writer::fresh(const std::string &stem) {
    return stem + std::to_string(++numbers_[stem]);
}

Dimension Writer::output(const Value &x) {
    std::vector<std::string> roles{"hidden", "hidden", "wide", "head"};
    std::erase_if(roles, [&](const std::string &role) {
        const Dimension *own = x.find(role);
        return own != nullptr && own != &x.dimensions.back();
    });
    const std::string role = random_.pick(roles);
    return {role, random_.chance(0.5) ? extent() : declared(role).extent};
}

int Writer::extent() {
    const int wide = random_.chance(0.1) ? 2 * options_.most_extent : options_.most_extent;
    return random_.whole(options_.least_extent, wide);
}

std::string Writer::words(const Dimensions &dimensions) const {
    std::string text;
    for (const Dimension &dimension : dimensions)
        text += (text.empty() ? "" : ", ") + word(dimension);
    return "[" + text + "]";
}

Value Writer::bind(const std::string &stem, const std::string &expression, Dimensions dimensions) {
    Value value{fresh(stem), std::move(dimensions)};
    network_.file.statements.push_back(value.name + " = " + expression);
    network_.layers.push_back(value.name);
    return value;
}

void Writer::keep(const std::string &stem, const std::string &expression, const Dimensions &dimensions) {
    values_.push_back(bind(stem, expression, dimensions));
}

std::string Writer::parameter(const Dimensions &dimensions) {
    const std::string name = fresh("w");
    const std::string range = random_.pick<std::string>({"0.3", "0.6", "1.0"});
    const std::string values = random_.pick<std::string>({"uniform(-" + range + ", " + range + ")", "normal(0, 0.4)"});
    network_.file.statements.push_back("param " + name + ": " + options_.element + words(dimensions) + " = " + values);
    network_.layers.push_back(name);
    return name;
}

const Value &Writer::any() {
    const Value &value = random_.chance(0.6) ? values_.back() : random_.pick(values_);
    used_.insert(value.name);
    return value;
}

Value Writer::matrix() {
    const Value x = any();
    if (x.dimensions.back().role != "batch")
        return x;
    if (x.dimensions.size() > 1)
        return batch_first(x);
    const Dimension out = output({"", {batch_, {"batch", 0}}});
    const std::string w = parameter({out});
    values_.push_back(bind("e", "tanh(" + x.name + " * " + w + ")", {batch_, out}));
    used_.insert(values_.back().name);
    return values_.back();
}

Value Writer::batch_first(const Value &x) {
    Dimensions dimensions = features(x);
    dimensions.insert(dimensions.begin(), batch_);
    return bind("v", "einsum(" + x.name + " -> " + names(dimensions) + ")", dimensions);
}

std::string Writer::dense(const Value &x, const Dimension &out) {
    if (x.dimensions.back().role == out.role)
        primed_.insert(out.role + "'");
    return "dense(" + x.name + ", " + word(out) + (random_.chance(0.35) ? ", bias = false)" : ")");
}

std::string Writer::smooth(const std::string &x) {
    static const std::vector<std::string> functions{"tanh", "sigmoid", "gelu", "silu", "softplus", "sin", "cos"};
    return random_.pick(functions) + "(" + x + ")";
}

std::string Writer::unary(const std::string &x) {
    switch (random_.whole(0, 9)) {
    case 0:
    case 1:
    case 2:
        return "relu(" + x + ")";
    case 3:
        return "0.5 * abs(" + x + ")";
    case 4:
        return "exp(-tanh(" + x + "))";
    case 5:
        return "log(square(" + x + ") + 1.5)";
    case 6:
        return random_.pick<std::string>({"sqrt", "reciprocal", "rsqrt"}) + "(square(" + x + ") + 1)";
    case 7:
        return random_.pick<std::string>({"", "-", "0.7 * ", "1 - ", "2 / 3.0 * "}) + x;
    default:
        return smooth(x);
    }
}

void Writer::declare(std::vector<std::string> imports) {
    network_.file.declarations = std::move(imports);
    for (const Dimension &dimension : defaults_) {
        network_.file.declarations.push_back("dim " + dimension.role + " = " + std::to_string(dimension.extent));
        network_.roles.push_back(dimension.role);
    }
    network_.roles.insert(network_.roles.end(), primed_.begin(), primed_.end());
}

void Writer::train(const std::string &loss) {
    network_.file.training = "train net on fields {\n    loss = " + loss +
                             "\n    optimizer = " + random_optimizer(random_) +
                             "\n    steps = 3\n    layout = rules\n}\n";
}

} // namespace planc::test
