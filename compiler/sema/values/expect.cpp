#include "sema/values/expect.h"

#include <sstream>

namespace planc::sema {

PLANC_DIAGNOSTIC(wrong_type, error, "{0} must be {1}, got {2}");                         // X2
PLANC_DIAGNOSTIC(out_of_range, error, "{0} must be {1}, got {2}");                       // H4
PLANC_DIAGNOSTIC(wrong_unit, error, "{0} must be {1}, got {2}");                         // L6
PLANC_DIAGNOSTIC(dimension_without_extent, error, "dimension '{0}' has no extent here"); // D2
PLANC_DIAGNOSTIC(bad_extent, error, "the extent of '{0}' must be at least 1, got {1}");  // D5

void fail_wrong_type(const Context &context, SourceRange where, const std::string &what, const std::string &wanted,
                     const Value &got, const std::vector<Note> &notes) {
    context.fail(wrong_type, where, {what, wanted, describe(got)}, notes);
}

std::int64_t expect_integer(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    if (const auto *integer = value.get<std::int64_t>())
        return *integer;
    if (value.get<DimensionValue>())
        return expect_dimension(context, value, where, what).extent; // X3
    fail_wrong_type(context, where, what, "a whole number", value);
}

Value expect_integers(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    const auto integer = [&](const Value &number) {
        if (!number.get<std::int64_t>() && !number.get<DimensionValue>())
            fail_wrong_type(context, where, what, "a whole number or a list of them", number);
        return whole(expect_integer(context, number, where, what));
    };
    const auto *list = value.get<ListValue>();
    if (!list)
        return integer(value);
    std::vector<Value> numbers;
    for (const Value &number : **list)
        numbers.push_back(integer(number));
    return list_of(std::move(numbers));
}

std::int64_t expect_integer_in(const Context &context, const Value &value, SourceRange where, const std::string &what,
                               std::int64_t least, std::int64_t most) {
    const std::int64_t integer = expect_integer(context, value, where, what);
    if (integer < least)
        context.fail(out_of_range, where, {what, "at least " + std::to_string(least), std::to_string(integer)});
    if (integer > most)
        context.fail(out_of_range, where, {what, "at most " + std::to_string(most), std::to_string(integer)});
    return integer;
}

double expect_number(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    if (const auto *integer = value.get<std::int64_t>())
        return static_cast<double>(*integer);
    if (const auto *number = value.get<double>())
        return *number;
    if (value.get<DimensionValue>())
        return static_cast<double>(expect_dimension(context, value, where, what).extent);
    fail_wrong_type(context, where, what, "a number", value);
}

double expect_fraction(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    const double number = expect_number(context, value, where, what);
    if (number < 0 || number >= 1) {
        std::ostringstream text;
        text << number;
        context.fail(out_of_range, where, {what, "at least 0 and below 1", text.str()});
    }
    return number;
}

bool expect_boolean(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    if (const auto *boolean = value.get<bool>())
        return *boolean;
    fail_wrong_type(context, where, what, "a truth value", value);
}

Initializer expect_initializer(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    if (const auto *initializer = value.get<Initializer>())
        return *initializer;
    fail_wrong_type(context, where, what, "an initializer (such as 'zeros' or 'glorot_uniform(…)')", value);
}

std::string expect_string(const Context &context, const Value &value, SourceRange where, const std::string &what) {
    if (const auto *text = value.get<std::string>())
        return *text;
    fail_wrong_type(context, where, what, "a string", value);
}

double expect_quantity(const Context &context, const Value &value, SourceRange where, const std::string &what,
                       Measure measure) {
    const auto *quantity = value.get<QuantityValue>();
    const bool number = value.get<std::int64_t>() || value.get<double>();
    if (!quantity && !number)
        fail_wrong_type(context, where, what, describe(measure), value);
    if (!quantity || quantity->measure != measure)
        context.fail(wrong_unit, where,
                     {what, describe(measure), quantity ? describe(quantity->measure) : "a number without a unit"});
    if (quantity->value < 0)
        context.fail(out_of_range, where, {what, "at least 0", "a negative amount"});
    return quantity->value;
}

std::string extent_hint(const std::string &role) {
    return "declare it with 'dim " + role + " = …', write '" + role + ": …' here, or say --dim " + role + "=…";
}

std::string missing_extent(const std::string &role) {
    return "the extent of " + role;
}

DimensionValue expect_dimension(const Context &context, const Value &value, SourceRange where,
                                const std::string &what) {
    const auto *dimension = value.get<DimensionValue>();
    if (!dimension)
        fail_wrong_type(context, where, what, "a dimension (such as 'hidden' or 'hidden: 128')", value);
    if (dimension->extent == DimensionValue::open && !context.is_first(missing_extent(dimension->role)))
        context.give_up();
    if (dimension->extent == DimensionValue::open)
        context.fail(dimension_without_extent, where, {dimension->role}, {hint(extent_hint(dimension->role))});
    return *dimension;
}

Value extent_for_dimension(const Context &context, const Value &value, SourceRange where) {
    if (!value.get<DimensionValue>())
        return value;
    return {expect_dimension(context, value, where, "an operand").extent};
}

Value extents_for_dimensions(const Context &context, const Value &value, SourceRange where) {
    const auto *list = value.get<ListValue>();
    if (!list)
        return extent_for_dimension(context, value, where);
    std::vector<Value> numbers;
    for (const Value &item : **list)
        numbers.push_back(extents_for_dimensions(context, item, where));
    return list_of(std::move(numbers));
}

std::vector<DimensionValue> expect_dimensions(const Context &context, const Value &value, SourceRange where,
                                              const std::string &what) {
    if (const auto *dimension = value.get<DimensionValue>())
        return {*dimension};
    const auto *list = value.get<ListValue>();
    if (!list)
        fail_wrong_type(context, where, what, "a dimension (such as 'hidden' or 'hidden: 128') or a list of dimensions",
                        value);
    std::vector<DimensionValue> dimensions;
    for (const Value &item : **list) {
        const auto *dimension = item.get<DimensionValue>();
        if (!dimension)
            fail_wrong_type(context, where, what, "a list of dimensions", item);
        dimensions.push_back(*dimension);
    }
    return dimensions;
}

const std::vector<Value> &expect_list(const Context &context, const Value &value, SourceRange where,
                                      const std::string &what) {
    if (const auto *list = value.get<ListValue>())
        return **list;
    fail_wrong_type(context, where, what, "a list", value);
}

void check_extent(const Context &context, std::int64_t extent, SourceRange where, const std::string &role) {
    if (extent < 1)
        context.fail(bad_extent, where, {role, std::to_string(extent)});
}

} // namespace planc::sema
