#include "sema/values/values.h"

namespace planc::sema {

Value whole(std::int64_t number) {
    return {number};
}

Value list_of(std::vector<Value> items) {
    return {std::make_shared<const std::vector<Value>>(std::move(items))};
}

Value list_of(const std::vector<DimensionValue> &dimensions) {
    std::vector<Value> items;
    for (const DimensionValue &dimension : dimensions)
        items.push_back({dimension});
    return list_of(std::move(items));
}

std::string count_of_values(std::size_t count) {
    return count == 1 ? "one value" : std::to_string(count) + " values";
}

std::string describe(const Value &value) {
    struct Words {
        std::string operator()(std::int64_t) const { return "a whole number"; }
        std::string operator()(double) const { return "a number"; }
        std::string operator()(bool) const { return "a truth value"; }
        std::string operator()(const std::string &text) const { return "the string \"" + text + "\""; }
        std::string operator()(const QuantityValue &quantity) const { return describe(quantity.measure); }
        std::string operator()(const DimensionValue &dimension) const {
            return "the dimension '" + dimension.role + "'";
        }
        std::string operator()(const TensorValue &tensor) const { return "a tensor " + to_string(tensor); }
        std::string operator()(const SparseValue &matrix) const { return "a matrix " + to_string(matrix); }
        std::string operator()(const Initializer &) const { return "an initializer"; }
        std::string operator()(const FieldValue &field) const { return "the data field '" + field.name + "'"; }
        std::string operator()(const ListValue &) const { return "a list"; }
    };
    return std::visit(Words{}, value.data);
}

std::string to_string(const DimensionValue &dimension) {
    if (dimension.extent == DimensionValue::open)
        return dimension.role;
    return dimension.role + ": " + std::to_string(dimension.extent);
}

std::string to_string(const std::vector<DimensionValue> &dimensions) {
    std::string text = "[";
    for (const DimensionValue &dimension : dimensions)
        text += (text.size() > 1 ? ", " : "") + to_string(dimension);
    return text + "]";
}

std::string to_string(const TensorValue &tensor) {
    return name(tensor.element) + to_string(tensor.dimensions);
}

std::string to_string(const SparseValue &matrix) {
    std::string text = "sparse[";
    for (const DimensionValue &dimension : matrix.dimensions)
        text += to_string(dimension) + ", ";
    return text + name(matrix.element) + "]";
}

std::string to_string(const TensorType &type) {
    std::string text = std::string(name(type.element)) + "[";
    for (const Dimension &dimension : type.dimensions)
        text += (text.back() == '[' ? "" : ", ") + dimension.role + ": " + std::to_string(dimension.extent);
    return text + "]";
}

const char *name(ElementType element) {
    switch (element) {
    case ElementType::f32:
        return "f32";
    case ElementType::f64:
        return "f64";
    case ElementType::i32:
        return "i32";
    }
    return "f32";
}

std::int64_t byte_size(ElementType element) {
    return element == ElementType::f64 ? 8 : 4;
}

std::string without_primes(std::string role) {
    while (!role.empty() && role.back() == '\'')
        role.pop_back();
    return role;
}

bool is_square(const TensorType &matrix) {
    const Dimension &rows = matrix.dimensions[0];
    const Dimension &columns = matrix.dimensions[1];
    return rows.extent == columns.extent && without_primes(rows.role) == without_primes(columns.role);
}

TensorType type_of(const TensorValue &tensor) {
    TensorType type{tensor.element, {}};
    for (const DimensionValue &dimension : tensor.dimensions)
        type.dimensions.push_back({dimension.role, dimension.extent});
    return type;
}

} // namespace planc::sema
