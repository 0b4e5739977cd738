#include "sema/training/data_fields.h"
#include "sema/training/training.h"
#include "sema/training/vertex_order.h"
#include "sema/values/expect.h"
#include "sema/values/limits.h"
#include "sema/values/settings.h"

#include <limits>
#include <sstream>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_split, error, "a split is 'train …, test …'{0}");                               // T3
PLANC_DIAGNOSTIC(split_above_one, error, "the shares of a split add up to {0}%");                        // T3
PLANC_DIAGNOSTIC(wrong_share, error, "a share is a percentage (80%) or a number of samples (9000)");     // T3
PLANC_DIAGNOSTIC(mixed_split, error, "a split is by percentages or by numbers of samples, not by both"); // T3
PLANC_DIAGNOSTIC(no_training_share, error, "the share for training must be above zero");                 // T3
PLANC_DIAGNOSTIC(graph_split, error, "the vertices of a graph are split by 'column(i)' of their table"); // T8
PLANC_DIAGNOSTIC(split_of_other_table, error,
                 "the table that 'graph' names is split, by one of its own columns; others are whole"); // T10
PLANC_DIAGNOSTIC(no_table, error, "data '{0}' has no table: 'graph' has no path here");                 // T12
PLANC_DIAGNOSTIC(seed_of_table, error, "'seed' is for 'graph' without a path, whose fields are drawn"); // T12

namespace {

class DataReader {
  public:
    DataReader(Analysis &analysis, const syntax::DataDeclaration &declaration)
        : context_(analysis.context), declaration_(declaration),
          constants_(analysis, analysis.declarations.unit_of(declaration.where)),
          failed_fields_(analysis.failed_fields[declaration.name.text]) {
        data_.name = declaration.name.text;
        data_.where = declaration.name.where;
        data_.directory =
            analysis.declarations.units[static_cast<std::size_t>(analysis.declarations.unit_of(declaration.where))]
                .directory;
    }

    Data read() {
        const bool source_known = context_.attempt([&] { read_source(); });
        std::vector<std::string> names;
        for (const syntax::Setting &setting : declaration_.settings)
            names.push_back(setting.name.text);
        const Settings settings(context_, "data '" + data_.name + "'", declaration_.name.where, declaration_.settings,
                                names); // any name: duplicates are errors
        FieldReader reader(context_, constants_, data_.format, draws_fields(data_));
        for (const syntax::Setting &setting : declaration_.settings) {
            const bool read = source_known && context_.attempt([&] { read_setting(setting, settings, reader); });
            if (read)
                continue;
            failed_fields_.insert(setting.name.text);
            if (setting.name.text == "split") // half of it would be judged against the batch
                without_split();
        }
        return data_;
    }

  private:
    void without_split() {
        const Data none;
        data_.split = none.split;
        data_.train = none.train;
        data_.test = none.test;
    }

    void read_setting(const syntax::Setting &setting, const Settings &settings, FieldReader &reader) {
        if (setting.name.text == "split") {
            read_split(setting, reader);
            return;
        }
        Field field = reader.read(settings.value(setting));
        field.name = setting.name.text;
        field.where = setting.where;
        if (field.matrix)
            field.matrix->file.header = data_.header;
        else if (field.file.empty() && field.drawn.kind == Drawn::Kind::automatic)
            check_table(setting.where);
        data_.fields.push_back(std::move(field));
    }

    /// Of graph data: that there is a table of samples, a column of which is read.
    void check_table(SourceRange where) const {
        if (data_.format == "graph" && data_.path.empty())
            context_.fail(no_table, where, {data_.name},
                          {hint("fields that are not set have random values; 'table = …' names another table")});
    }

    /// T1
    void read_source() {
        const syntax::Expression &source = *declaration_.source;
        const std::vector<std::string> formats = {"csv", "idx", "npy", "text", "synthetic", "cifar", "graph"};
        const auto *call = std::get_if<syntax::Call>(&source.node);
        if (!call) {
            data_.format = expect_word(context_, source, "a source of data", formats);
        } else {
            static_cast<void>(expect_call(context_, source, "a source of data", formats));
            data_.format = call->callee.text;
        }
        const syntax::Call bare{{data_.format, source.where}, {}};
        read_source_arguments(call ? *call : bare);
    }

    void read_source_arguments(const syntax::Call &call) {
        const bool graph = data_.format == "graph";
        const bool csv = data_.format == "csv" || graph;
        const bool path_alone = data_.format == "text" || data_.format == "cifar";
        const bool synthetic = data_.format == "synthetic";
        const Arguments arguments(context_, call,
                                  graph        ? std::vector<std::string>{"path", "header", "order", "seed"}
                                  : csv        ? std::vector<std::string>{"path", "header"}
                                  : path_alone ? std::vector<std::string>{"path"}
                                  : synthetic  ? std::vector<std::string>{"seed", "samples"}
                                               : std::vector<std::string>{});
        const auto value = [&](const syntax::CallArgument *given) { return constants_.evaluate(*given->value); };
        const std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const syntax::CallArgument *path = csv || path_alone ? arguments.find("path") : nullptr;
        if (path == nullptr && (path_alone || data_.format == "csv"))
            path = &arguments.require("path");
        if (path != nullptr)
            data_.path = expect_string(context_, value(path), path->where, arguments.what("path"));
        if (const auto *header = arguments.find("header"))
            data_.header = expect_boolean(context_, value(header), header->where, arguments.what("header"));
        if (const auto *order = arguments.find("order"))
            data_.order = read_order(*order->value, arguments.what("order"), constants_, context_);
        if (const auto *seed = arguments.find("seed"); seed != nullptr && path != nullptr)
            context_.fail(seed_of_table, seed->where, {});
        if (const auto *seed = arguments.find("seed"))
            data_.seed = static_cast<std::uint64_t>(
                expect_integer_in(context_, value(seed), seed->where, arguments.what("seed"), 0, most));
        if (const auto *samples = arguments.find("samples"))
            data_.samples =
                expect_integer_in(context_, value(samples), samples->where, arguments.what("samples"), 1, most_steps);
        if (data_.format == "cifar")
            split_by(Data::Split::files); // unless it says another split
    }

    void read_split(const syntax::Setting &setting, FieldReader &reader) {
        if (!setting.value && setting.shares.empty()) // did not parse
            context_.give_up();
        if (setting.value) {
            const auto *call = std::get_if<syntax::Call>(&setting.value->node);
            if ((!call || call->callee.text != "column") && data_.format == "graph")
                context_.fail(graph_split, setting.value->where, {});
            if (!call || call->callee.text != "column" || (data_.format != "csv" && data_.format != "graph"))
                context_.fail(unknown_split, setting.value->where,
                              {data_.format == "csv"     ? " or 'column(i)'"
                               : data_.format == "cifar" ? "; without one CIFAR's own files for training and for tests"
                                                         : std::string()});
            split_by(Data::Split::column);
            const Field column = reader.source(*call, setting.value->where);
            if (!column.file.empty())
                context_.fail(split_of_other_table, setting.value->where, {});
            check_table(setting.value->where);
            data_.split_column = column.first_column;
            return;
        }
        if (data_.format == "graph")
            context_.fail(graph_split, setting.where, {});
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

    /// Samples with 0 there train, those with 1 test.
    void split_by(Data::Split mark) {
        data_.split = mark;
        data_.train = 0;
        data_.test = 1;
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
        const double amount =
            percent ? share.amount.value * 0.01
                    : static_cast<double>(expect_integer_in(context_, whole(share.amount.integer), share.where,
                                                            "'" + share.name.text + "' of 'split'", 0, most_steps));
        if (amount <= 0 && share.name.text == "train")
            context_.fail(no_training_share, share.where, {});
        (share.name.text == "train" ? data_.train : data_.test) = amount;
    }

    const Context &context_;
    const syntax::DataDeclaration &declaration_;
    Elaborator constants_;
    std::set<std::string> &failed_fields_;
    Data data_;
};

} // namespace

Data analyze_data(const syntax::DataDeclaration &declaration, Analysis &analysis) {
    return DataReader(analysis, declaration).read();
}

} // namespace planc::sema
