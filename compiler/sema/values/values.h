// The values of expressions while networks are elaborated: numbers, dimensions, lists and symbolic tensors. `64` is an
// integer, `hidden: 128` a dimension, `relu(x)` a tensor: the result of an operation of the network.
#pragma once

#include "sema/program.h"
#include "sema/values/units.h"

#include <memory>
#include <variant>

namespace planc::sema {

/// A dimension with its extent at this place.
///
/// Inside a layer, dimensions are identified by the names of its signature and not by their roles, because `[.., in]`
/// and `out: dim` may both have the role `hidden`. `symbol` is such a name in one call of a layer.
struct DimensionValue {
    static constexpr std::int64_t open = -1; ///< a role without a default extent
    static constexpr int by_role = -1;

    std::string role;
    std::int64_t extent = open;
    int symbol = by_role;
    support::SourceRange where; ///< where the extent is given
};

/// A tensor: the result of operation `id` of the network under construction.
struct TensorValue {
    ValueId id = -1;
    ElementType element = ElementType::f32;
    std::vector<DimensionValue> dimensions;
};

/// A number with a unit, in base units.
struct QuantityValue {
    double value = 0;
    Measure measure = Measure::none;
};

/// A sparse argument of a network: a matrix, which no operation computes.
struct SparseValue {
    std::string name; ///< of the outermost network's argument, or of the field
    ElementType element = ElementType::f32;
    std::vector<DimensionValue> dimensions; ///< rows, columns
};

/// A field of the data set in a loss. It becomes an input as soon as its first use determines its type.
struct FieldValue {
    std::string name;
};

struct Value;
using ListValue = std::shared_ptr<const std::vector<Value>>;

struct Value {
    std::variant<std::int64_t, double, bool, std::string, QuantityValue, DimensionValue, TensorValue, SparseValue,
                 Initializer, FieldValue, ListValue>
        data;

    template <class T> [[nodiscard]] const T *get() const { return std::get_if<T>(&data); }
};

[[nodiscard]] Value whole(std::int64_t number);
[[nodiscard]] Value list_of(std::vector<Value> items);
[[nodiscard]] Value list_of(const std::vector<DimensionValue> &dimensions);

/// "one value", "2 values".
[[nodiscard]] std::string count_of_values(std::size_t count);
/// "a whole number", "a tensor": for messages.
[[nodiscard]] std::string describe(const Value &value);
/// "hidden: 256", "[batch: 64, hidden: 256]", "f32[batch: 64]".
[[nodiscard]] std::string to_string(const DimensionValue &dimension);
[[nodiscard]] std::string to_string(const std::vector<DimensionValue> &dimensions);
[[nodiscard]] std::string to_string(const TensorValue &tensor);
[[nodiscard]] std::string to_string(const SparseValue &matrix);
[[nodiscard]] std::string to_string(const TensorType &type);
[[nodiscard]] const char *name(ElementType element);
[[nodiscard]] std::int64_t byte_size(ElementType element);

/// The role without apostrophes: "hidden''" gives "hidden".
[[nodiscard]] std::string without_primes(std::string role);
/// Whether rows and columns of a sparse matrix are the same vertices.
[[nodiscard]] bool is_square(const TensorType &matrix);
[[nodiscard]] TensorType type_of(const TensorValue &tensor);

} // namespace planc::sema
