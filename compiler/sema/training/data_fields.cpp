#include "sema/training/data_fields.h"

#include "sema/training/matrix_sources.h"
#include "sema/values/expect.h"

#include <cmath>
#include <limits>
#include <map>

namespace planc::sema {

PLANC_DIAGNOSTIC(wrong_column_syntax, error, "a field of '{0}' data is {1}");                            // T2
PLANC_DIAGNOSTIC(not_affine, error, "a field may be scaled and shifted by numbers only");                // T2
PLANC_DIAGNOSTIC(scaled_characters, error, "characters are indices, which cannot be scaled or shifted"); // T5
PLANC_DIAGNOSTIC(empty_columns, error, "columns({0}..{1}) is an empty range");                           // T2
PLANC_DIAGNOSTIC(empty_number_list, error, "a list in a field has no numbers");                          // T2
PLANC_DIAGNOSTIC(list_lengths, error, "a field is scaled by lists of {0} and of {1} numbers");           // T2
PLANC_DIAGNOSTIC(field_divided_by_zero, error,
                 "a field may be divided by numbers other than 0 only; {0}"); // T2
PLANC_DIAGNOSTIC(no_probability, error, "a probability is from 0 to 1");      // T13
PLANC_DIAGNOSTIC(augmented_twice, error, "'{0}' occurs twice in a field");    // T7

namespace {

constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_padding = 1 << 16;

bool is_source(const std::string &name) {
    return name == "column" || name == "columns" || name == "file" || name == "characters";
}

} // namespace

/// `uniform`, `normal`, `bernoulli(p)`, `tokens(n)`.
std::optional<Field> FieldReader::drawn(const syntax::Expression &expression) const {
    if (!draws_)
        return std::nullopt;
    Field field;
    if (const auto *word = std::get_if<syntax::Reference>(&expression.node)) {
        if (word->name != "uniform" && word->name != "normal")
            return std::nullopt;
        field.drawn.kind = word->name == "uniform" ? Drawn::Kind::uniform : Drawn::Kind::normal;
        return field;
    }
    const auto *call = std::get_if<syntax::Call>(&expression.node);
    if (!call || (call->callee.text != "bernoulli" && call->callee.text != "tokens"))
        return std::nullopt;
    const bool tokens = call->callee.text == "tokens";
    const Arguments arguments(context_, *call, {tokens ? "count" : "probability"});
    const syntax::CallArgument &given = arguments.require(tokens ? "count" : "probability");
    const Value value = constants_.evaluate(*given.value);
    field.drawn.kind = tokens ? Drawn::Kind::tokens : Drawn::Kind::bernoulli;
    if (tokens)
        field.drawn.parameter = static_cast<double>(expect_integer_in(
            context_, value, given.where, arguments.what("count"), 1, std::numeric_limits<std::int32_t>::max()));
    else if (const double probability = expect_number(context_, value, given.where, arguments.what("probability"));
             probability >= 0 && probability <= 1)
        field.drawn.parameter = probability;
    else
        context_.fail(no_probability, given.where, {});
    return field;
}

Field FieldReader::read(const syntax::Expression &expression) {
    const Scaled scaled = evaluate(expression);
    if (!scaled.field)
        fail_column_syntax(expression.where);
    Field field = *scaled.field;
    const Affine &affine = scaled.parts.front();
    if (format_ == "text" && (scaled.listed || affine.scale != 1 || affine.shift != 0))
        context_.fail(scaled_characters, expression.where, {}, {hint("'characters(1)' begins one character later")});
    if (scaled.listed)
        field.channels = scaled.parts;
    else if (format_ != "text")
        field.affine = affine;
    return field;
}

void FieldReader::fail_column_syntax(SourceRange where) const {
    const std::string scaled = ", with numbers to scale and shift it";
    context_.fail(wrong_column_syntax, where,
                  {format_, format_ == "csv"     ? "'column(i)' or 'columns(first..last)'" + scaled
                            : format_ == "text"  ? "'characters(first)'"
                            : format_ == "graph" ? "'column(i)' or 'columns(first..last)' of a table" + scaled +
                                                       ", or a matrix, such as 'matrix_market(\"name\")'"
                            : format_ == "cifar"     ? "'pixels', 'label' or 'coarse_label'" + scaled
                            : format_ == "synthetic" ? "'uniform', 'normal', 'bernoulli(p)' or 'tokens(n)'" + scaled
                                                     : "'file(\"name\")'" + scaled});
}

FieldReader::Scaled FieldReader::evaluate(const syntax::Expression &expression) {
    if (std::optional<Field> field = part_of_record(expression))
        return {std::move(field)};
    if (std::optional<Field> field = drawn(expression))
        return {std::move(field)};
    if (const auto *call = std::get_if<syntax::Call>(&expression.node)) {
        if (is_source(call->callee.text))
            return {source(*call, expression.where)};
        if (call->callee.text == "random_flip" || call->callee.text == "random_crop")
            return augmented(*call);
        if (format_ == "graph" && is_matrix_source(call->callee.text)) {
            Field field;
            field.matrix = read_matrix_source(*call, constants_, context_);
            return {std::move(field)};
        }
    }
    if (const auto *unary = std::get_if<syntax::Unary>(&expression.node)) {
        Scaled operand = evaluate(*unary->operand);
        if (unary->operation == syntax::UnaryOperator::logical_not)
            context_.fail(not_affine, expression.where, {});
        for (Affine &part : operand.parts)
            part = {-part.scale, -part.shift};
        return operand;
    }
    if (const auto *binary = std::get_if<syntax::Binary>(&expression.node))
        return evaluate(*binary, expression.where);
    return constant(expression);
}

FieldReader::Scaled FieldReader::constant(const syntax::Expression &expression) {
    const Value value = constants_.evaluate(expression);
    const auto number = [&](const Value &item) {
        return Affine{1, expect_number(context_, item, expression.where, "a number in a field")};
    };
    const auto *list = value.get<ListValue>();
    if (!list)
        return {std::nullopt, {number(value)}};
    if ((*list)->empty())
        context_.fail(empty_number_list, expression.where, {});
    Scaled result{std::nullopt, {}, true};
    for (const Value &item : **list)
        result.parts.push_back(number(item));
    return result;
}

FieldReader::Scaled FieldReader::evaluate(const syntax::Binary &binary, SourceRange where) {
    const Scaled a = evaluate(*binary.left);
    const Scaled b = evaluate(*binary.right);
    if (a.listed && b.listed && a.parts.size() != b.parts.size())
        context_.fail(list_lengths, where, {std::to_string(a.parts.size()), std::to_string(b.parts.size())});
    Scaled result{a.field ? a.field : b.field, {}, a.listed || b.listed};
    for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i)
        result.parts.push_back(combine(binary.operation, a, b, i, where));
    return result;
}

Affine FieldReader::combine(Operator operation, const Scaled &a, const Scaled &b, std::size_t i,
                            SourceRange where) const {
    const Affine left = a.part(i);
    const Affine right = b.part(i);
    const bool sum = operation == Operator::add || operation == Operator::subtract;
    const bool product = operation == Operator::multiply;
    const bool quotient = operation == Operator::divide && !b.field;
    if (quotient && right.shift == 0)
        context_.fail(field_divided_by_zero, where,
                      {b.listed ? "number " + std::to_string(i + 1) + " of the list is 0" : "this one is 0"});
    if ((a.field && b.field) || !(sum || product || quotient))
        context_.fail(not_affine, where, {});
    Affine result;
    if (sum) {
        const double sign = operation == Operator::add ? 1 : -1;
        result.scale = a.field ? left.scale : sign * right.scale;
        result.shift = left.shift + sign * right.shift;
    } else {
        const Affine &raw = a.field || quotient ? left : right;
        const double factor = quotient ? 1 / right.shift : (a.field ? right.shift : left.shift);
        result.scale = raw.scale * factor;
        result.shift = quotient ? raw.shift / right.shift : raw.shift * factor;
    }
    if (!std::isfinite(result.scale) || !std::isfinite(result.shift))
        context_.fail(not_affine, where, {});
    return result;
}

/// `random_flip(image)`, `random_crop(image, padding = …)`: they change the raw image, wherever they occur in the
/// expression.
FieldReader::Scaled FieldReader::augmented(const syntax::Call &call) {
    const bool crop = call.callee.text == "random_crop";
    const Arguments arguments(context_, call,
                              crop ? std::vector<std::string>{"image", "padding"} : std::vector<std::string>{"image"});
    const syntax::Expression &image = *arguments.require("image").value;
    Scaled result = evaluate(image);
    const bool no_images = format_ == "text" || format_ == "graph" || format_ == "synthetic";
    if (!result.field || no_images)
        fail_column_syntax(no_images ? call.callee.where : image.where);
    Augmentation &augmentation = result.field->augmentation;
    if (crop ? augmentation.padding > 0 : augmentation.flip)
        context_.fail(augmented_twice, call.callee.where, {call.callee.text});
    if (!crop) {
        augmentation.flip = true;
        return result;
    }
    const syntax::CallArgument &padding = arguments.require("padding");
    augmentation.padding = expect_integer_in(context_, constants_.evaluate(*padding.value), padding.where,
                                             arguments.what("padding"), 1, most_padding);
    return result;
}

/// `pixels`, `label`, `coarse_label` of CIFAR's records.
std::optional<Field> FieldReader::part_of_record(const syntax::Expression &expression) const {
    static const std::map<std::string, Field::Part> parts = {
        {"pixels", Field::Part::pixels}, {"label", Field::Part::label}, {"coarse_label", Field::Part::coarse_label}};
    const auto *reference = std::get_if<syntax::Reference>(&expression.node);
    const auto part = reference && format_ == "cifar" ? parts.find(reference->name) : parts.end();
    if (part == parts.end())
        return std::nullopt;
    Field field;
    field.part = part->second;
    return field;
}

Field FieldReader::source(const syntax::Call &call, SourceRange where) {
    const std::string &kind = call.callee.text;
    const std::string own = format_ == "text"    ? "characters"
                            : is_table()         ? "column"
                            : format_ == "cifar" ? "pixels"
                                                 : "file";
    if (!kind.starts_with(own) || format_ == "synthetic")
        fail_column_syntax(where);
    const std::string parameter = kind == "file"         ? "name"
                                  : kind == "column"     ? "index"
                                  : kind == "characters" ? "first"
                                                         : "range";
    const Arguments arguments(context_, call,
                              format_ == "graph" ? std::vector<std::string>{parameter, "table"}
                                                 : std::vector<std::string>{parameter});
    const syntax::CallArgument &given = arguments.require(parameter);
    const std::string what = arguments.what(parameter);
    Field field;
    if (const auto *table = arguments.find("table"))
        field.file = expect_string(context_, constants_.evaluate(*table->value), table->where, arguments.what("table"));
    if (kind == "columns") {
        read_columns(*given.value, what, field);
        return field;
    }
    const Value value = constants_.evaluate(*given.value);
    if (kind == "file") {
        field.file = expect_string(context_, value, given.where, what);
    } else if (kind == "characters") {
        field.affine.shift =
            static_cast<double>(expect_integer_in(context_, value, given.where, what, 0, most_columns));
    } else {
        field.first_column = expect_integer_in(context_, value, given.where, what, 0, most_columns - 1);
        field.last_column = field.first_column + 1;
    }
    return field;
}

void FieldReader::read_columns(const syntax::Expression &expression, const std::string &what, Field &field) {
    const auto *range = std::get_if<syntax::Range>(&expression.node);
    if (!range)
        fail_wrong_type(context_, expression.where, what, "a range (such as '0..64')", constants_.evaluate(expression));
    const auto index = [&](const syntax::Expression &bound) {
        return expect_integer_in(context_, constants_.evaluate(bound), bound.where, what, 0, most_columns);
    };
    field.first_column = index(*range->first);
    field.last_column = index(*range->last);
    if (field.first_column >= field.last_column)
        context_.fail(empty_columns, expression.where,
                      {std::to_string(field.first_column), std::to_string(field.last_column)});
}

} // namespace planc::sema
