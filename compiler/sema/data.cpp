#include "sema/elaborate.h"
#include "sema/expect.h"
#include "sema/settings.h"
#include "sema/training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace planc::sema {

PLANC_DIAGNOSTIC(wrong_column_syntax, error, "a field of '{0}' data is {1}");                            // T2
PLANC_DIAGNOSTIC(not_affine, error, "a field may be scaled and shifted by numbers only");                // T2
PLANC_DIAGNOSTIC(scaled_characters, error, "characters are indices, which cannot be scaled or shifted"); // T5
PLANC_DIAGNOSTIC(empty_columns, error, "columns({0}..{1}) are no columns");                              // T2
PLANC_DIAGNOSTIC(unknown_split, error, "a split is 'train …, test …'{0}");                               // T3
PLANC_DIAGNOSTIC(split_above_one, error, "the shares of a split are {0}% together");                     // T3
PLANC_DIAGNOSTIC(wrong_share, error, "a share is a percentage (80%) or a number of samples (9000)");     // T3
PLANC_DIAGNOSTIC(mixed_split, error, "a split is by percentages or by numbers of samples, not by both"); // T3
PLANC_DIAGNOSTIC(no_training_share, error, "the share for training must be above zero");                 // T3
PLANC_DIAGNOSTIC(synthetic_field, error, "synthetic data has the fields that the loss uses; '{0}' cannot be set");

namespace {

constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();

/// raw * scale + shift, or without a column the constant `shift`.
struct Affine {
    std::optional<Field> field;
    double scale = 1;
    double shift = 0;
};

class DataReader {
  public:
    DataReader(Analysis &analysis, const syntax::DataDeclaration &declaration)
        : context_(analysis.context), declaration_(declaration),
          constants_(analysis, analysis.declarations.unit_of(declaration.where)), not_lowered_(analysis.context) {
        data_.name = declaration.name.text;
        data_.where = declaration.name.where;
        data_.directory =
            analysis.declarations.units[static_cast<std::size_t>(analysis.declarations.unit_of(declaration.where))]
                .directory;
    }

    Data read() {
        read_source();
        std::vector<std::string> names;
        for (const syntax::Setting &setting : declaration_.settings)
            names.push_back(setting.name.text);
        const Settings settings(context_, "data '" + data_.name + "'", declaration_.name.where, declaration_.settings,
                                names); // any name: duplicates are errors
        for (const syntax::Setting &setting : declaration_.settings) {
            if (setting.name.text == "split") {
                read_split(setting);
                continue;
            }
            if (data_.format == "synthetic")
                context_.fail(synthetic_field, setting.name.where, {setting.name.text});
            Affine affine = evaluate(settings.value(setting));
            if (!affine.field)
                fail_column_syntax(setting.value->where);
            if (data_.format == "text" && (affine.scale != 1 || affine.shift != 0))
                context_.fail(scaled_characters, setting.value->where, {},
                              {hint("'characters(1)' begins one character later")});
            affine.field->name = setting.name.text;
            affine.field->scale = affine.scale;
            affine.field->shift += affine.shift; // of characters: by how many they begin later
            affine.field->where = setting.where;
            data_.fields.push_back(*affine.field);
        }
        return data_;
    }

  private:
    void read_source() {
        const syntax::Expression &source = *declaration_.source;
        const std::vector<std::string> formats = {"csv", "idx", "npy", "text", "synthetic", "cifar", "matrix_market"};
        const auto *call = std::get_if<syntax::Call>(&source.node);
        if (!call) {
            data_.format = expect_word(context_, source, "a source of data", formats);
        } else {
            static_cast<void>(expect_call(context_, source, "a source of data", formats));
            data_.format = call->callee.text;
        }
        if (data_.format == "cifar" || data_.format == "matrix_market") {
            not_lowered_.not_lowered(source.where, "data in the format '" + data_.format + "'");
            not_lowered_.fail_if_not_lowered();
        }
        const syntax::Call bare{{data_.format, source.where}, {}};
        read_source_arguments(call ? *call : bare);
    }

    void read_source_arguments(const syntax::Call &call) {
        const bool csv = data_.format == "csv";
        const bool text = data_.format == "text";
        const bool synthetic = data_.format == "synthetic";
        const Arguments arguments(context_, call,
                                  csv         ? std::vector<std::string>{"path", "header"}
                                  : text      ? std::vector<std::string>{"path"}
                                  : synthetic ? std::vector<std::string>{"seed", "samples"}
                                              : std::vector<std::string>{});
        const auto value = [&](const syntax::CallArgument *given) { return constants_.evaluate(*given->value); };
        const std::int64_t most = std::numeric_limits<std::int64_t>::max();
        if (csv || text) {
            const syntax::CallArgument &path = arguments.require("path");
            data_.path = expect_string(context_, value(&path), path.where, arguments.what("path"));
        }
        if (const auto *header = arguments.find("header"))
            data_.header = expect_boolean(context_, value(header), header->where, arguments.what("header"));
        if (const auto *seed = arguments.find("seed"))
            data_.seed = static_cast<std::uint64_t>(
                expect_integer_in(context_, value(seed), seed->where, arguments.what("seed"), 0, most));
        if (const auto *samples = arguments.find("samples"))
            data_.samples =
                expect_integer_in(context_, value(samples), samples->where, arguments.what("samples"), 1, most);
    }

    [[noreturn]] void fail_column_syntax(SourceRange where) const {
        const std::string scaled = ", with numbers to scale and shift it";
        context_.fail(wrong_column_syntax, where,
                      {data_.format, data_.format == "csv"    ? "'column(i)' or 'columns(first..last)'" + scaled
                                     : data_.format == "text" ? "'characters(first)'"
                                                              : "'file(\"name\")'" + scaled});
    }

    static bool is_field(const std::string &name) {
        return name == "column" || name == "columns" || name == "file" || name == "characters";
    }

    Affine evaluate(const syntax::Expression &expression) {
        if (const auto *call = std::get_if<syntax::Call>(&expression.node))
            if (is_field(call->callee.text))
                return {column(*call, expression.where), 1, 0};
        if (const auto *unary = std::get_if<syntax::Unary>(&expression.node)) {
            Affine operand = evaluate(*unary->operand);
            if (unary->operation == syntax::UnaryOperator::logical_not)
                context_.fail(not_affine, expression.where, {});
            return {operand.field, -operand.scale, -operand.shift};
        }
        if (const auto *binary = std::get_if<syntax::Binary>(&expression.node))
            return evaluate(*binary, expression.where);
        return {std::nullopt, 1,
                expect_number(context_, constants_.evaluate(expression), expression.where, "a number in a field")};
    }

    Affine evaluate(const syntax::Binary &binary, SourceRange where) {
        using Operator = syntax::BinaryOperator;
        const Affine a = evaluate(*binary.left);
        const Affine b = evaluate(*binary.right);
        Affine result{a.field ? a.field : b.field, 1, 0};
        const bool sum = binary.operation == Operator::add || binary.operation == Operator::subtract;
        const bool product = binary.operation == Operator::multiply;
        const bool quotient = binary.operation == Operator::divide && !b.field && b.shift != 0;
        if ((a.field && b.field) || !(sum || product || quotient))
            context_.fail(not_affine, where, {});
        if (sum) {
            const double sign = binary.operation == Operator::add ? 1 : -1;
            result.scale = a.field ? a.scale : sign * b.scale;
            result.shift = a.shift + sign * b.shift;
        } else {
            const Affine &column = a.field || quotient ? a : b;
            const double factor = quotient ? 1 / b.shift : (a.field ? b.shift : a.shift);
            result.scale = column.scale * factor;
            result.shift = quotient ? column.shift / b.shift : column.shift * factor;
        }
        if (!std::isfinite(result.scale) || !std::isfinite(result.shift))
            context_.fail(not_affine, where, {});
        return result;
    }

    Field column(const syntax::Call &call, SourceRange where) {
        const std::string &kind = call.callee.text;
        const std::string own = data_.format == "text" ? "characters" : data_.format == "csv" ? "column" : "file";
        if (!kind.starts_with(own))
            fail_column_syntax(where);
        Field field;
        const std::string parameter = kind == "file"         ? "name"
                                      : kind == "column"     ? "index"
                                      : kind == "characters" ? "first"
                                                             : "range";
        const Arguments arguments(context_, call, {parameter});
        const syntax::CallArgument &given = arguments.require(parameter);
        const std::string what = arguments.what(parameter);
        if (kind == "file") {
            field.file = expect_string(context_, constants_.evaluate(*given.value), given.where, what);
            return field;
        }
        const auto index = [&](const syntax::Expression &expression, std::int64_t most) {
            return expect_integer_in(context_, constants_.evaluate(expression), expression.where, what, 0, most);
        };
        if (kind == "characters") {
            field.shift = static_cast<double>(index(*given.value, most_columns));
            return field;
        }
        if (kind == "column") {
            field.first_column = index(*given.value, most_columns - 1);
            field.last_column = field.first_column + 1;
            return field;
        }
        const auto *range = std::get_if<syntax::Range>(&given.value->node);
        if (!range)
            fail_wrong_type(context_, given.where, what, "a range (such as '0..64')",
                            constants_.evaluate(*given.value));
        field.first_column = index(*range->first, most_columns);
        field.last_column = index(*range->last, most_columns);
        if (field.first_column >= field.last_column)
            context_.fail(empty_columns, given.where,
                          {std::to_string(field.first_column), std::to_string(field.last_column)});
        return field;
    }

    void read_split(const syntax::Setting &setting) {
        if (setting.value) {
            const auto *call = std::get_if<syntax::Call>(&setting.value->node);
            if (!call || call->callee.text != "column" || data_.format != "csv")
                context_.fail(unknown_split, setting.value->where,
                              {data_.format == "csv" ? " or 'column(i)'" : std::string()});
            data_.split = Data::Split::column;
            data_.split_column = column(*call, setting.value->where).first_column;
            data_.train = 0; // rows with 0 there train, rows with 1 test
            data_.test = 1;
            return;
        }
        std::set<std::string> seen;
        for (const syntax::Share &share : setting.shares)
            read_share(share, seen);
        if (!seen.contains("train"))
            context_.fail(unknown_split, setting.where, {std::string()});
        if (!seen.contains("test"))
            data_.test = 0;
        if (data_.split == Data::Split::shares && data_.train + data_.test > 1 + 1e-9)
            context_.fail(split_above_one, setting.where, {percent(data_.train + data_.test)});
    }

    static std::string percent(double share) {
        std::ostringstream text;
        text << share * 100;
        return text.str();
    }

    void read_share(const syntax::Share &share, std::set<std::string> &seen) {
        if ((share.name.text != "train" && share.name.text != "test") || !seen.insert(share.name.text).second)
            context_.fail(unknown_split, share.name.where, {std::string()});
        const bool percent = share.amount.unit && share.amount.unit->text == "%";
        if (!percent && (share.amount.unit || !share.amount.integral))
            context_.fail(wrong_share, share.where, {});
        const Data::Split kind = percent ? Data::Split::shares : Data::Split::counts;
        if (seen.size() > 1 && kind != data_.split)
            context_.fail(mixed_split, share.where, {});
        data_.split = kind;
        const double amount = percent ? share.amount.value * 0.01 : static_cast<double>(share.amount.integer);
        if (amount <= 0 && share.name.text == "train")
            context_.fail(no_training_share, share.where, {});
        (share.name.text == "train" ? data_.train : data_.test) = amount;
    }

    const Context &context_;
    const syntax::DataDeclaration &declaration_;
    Elaborator constants_;
    Context &not_lowered_;
    Data data_;
};

} // namespace

Data analyze_data(const syntax::DataDeclaration &declaration, Analysis &analysis) {
    return DataReader(analysis, declaration).read();
}

} // namespace planc::sema
