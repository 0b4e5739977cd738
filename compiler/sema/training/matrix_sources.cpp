#include "sema/training/matrix_sources.h"

#include "sema/values/arguments.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <limits>
#include <map>

namespace planc::sema {

PLANC_DIAGNOSTIC(negatives_of_itself, error, "'negatives_of' names another column than 'column'");              // T10
PLANC_DIAGNOSTIC(setting_of_other_kind, error, "'{0}' does not go with 'kind = {1}'");                          // T12
PLANC_DIAGNOSTIC(odd_degree, error, "the 'degree' of a lattice is even, for as many neighbours on both sides"); // T12

namespace {

constexpr std::int64_t most_columns = std::numeric_limits<int>::max() - 1;

const std::map<std::string, planrt::GraphFormat> formats = {{"matrix_market", planrt::GraphFormat::matrix_market},
                                                            {"edges", planrt::GraphFormat::edge_list},
                                                            {"npy_edges", planrt::GraphFormat::npy},
                                                            {"ogb", planrt::GraphFormat::ogb},
                                                            {"lookup", planrt::GraphFormat::lookup},
                                                            {"groups", planrt::GraphFormat::groups}};

const std::string drawn = "synthetic_graph";

class SourceReader {
  public:
    SourceReader(const syntax::Call &call, Elaborator &constants, const Context &context)
        : context_(context), constants_(constants), is_drawn_(call.callee.text == drawn),
          format_(is_drawn_ ? planrt::GraphFormat::uniform : formats.at(call.callee.text)),
          arguments_(context, call, parameters()) {}

    MatrixFile read() {
        MatrixFile matrix;
        if (is_drawn_) {
            read_drawn(matrix.file);
            read_options(matrix.options);
            return matrix;
        }
        matrix.file.format = format_;
        matrix.file.path = text(arguments_.require("path"), "path");
        if (const auto *targets = arguments_.find("targets"))
            matrix.file.targets = text(*targets, "targets");
        if (of_table()) {
            read_column(matrix.file);
            return matrix;
        }
        if (const auto *weight = arguments_.find("weight"))
            matrix.file.column = static_cast<int>(number("weight", *weight, most_columns, 2));
        if (word("duplicates", {"sum", "error"}) == "error")
            matrix.options.duplicates = planrt::Duplicates::error;
        read_options(matrix.options);
        return matrix;
    }

  private:
    /// T10
    [[nodiscard]] bool of_table() const {
        return format_ == planrt::GraphFormat::lookup || format_ == planrt::GraphFormat::groups;
    }

    [[nodiscard]] std::vector<std::string> parameters() const {
        if (is_drawn_)
            return {"kind", "edges", "degree", "seed", "undirected", "self_loops", "normalize"};
        if (of_table())
            return {"path", "column", "negatives_of", "seed"};
        std::vector<std::string> names{"path", "undirected", "self_loops", "duplicates", "normalize"};
        if (format_ == planrt::GraphFormat::npy)
            names.insert(names.begin() + 1, "targets");
        if (format_ == planrt::GraphFormat::edge_list)
            names.emplace_back("weight");
        return names;
    }

    [[nodiscard]] std::string text(const syntax::CallArgument &given, const std::string &name) {
        return expect_string(context_, constants_.evaluate(*given.value), given.where, arguments_.what(name));
    }

    void read_options(planrt::GraphOptions &options) {
        options.undirected = truth("undirected");
        options.self_loops = truth("self_loops");
        const std::string normalize = word("normalize", {"symmetric", "row"});
        if (!normalize.empty())
            options.normalization = normalize == "row" ? planrt::Normalization::row : planrt::Normalization::symmetric;
    }

    /// T12
    void read_drawn(planrt::GraphFile &file) {
        static_cast<void>(arguments_.require("kind"));
        const std::string kind = word("kind", {"uniform", "rmat", "lattice"});
        file.format = kind == "rmat"      ? planrt::GraphFormat::rmat
                      : kind == "lattice" ? planrt::GraphFormat::lattice
                                          : planrt::GraphFormat::uniform;
        const bool lattice = kind == "lattice";
        for (const char *other : {lattice ? "edges" : "degree", lattice ? "seed" : "degree"})
            if (const auto *given = arguments_.find(other))
                context_.fail(setting_of_other_kind, given->where, {other, kind});
        const std::string amount = lattice ? "degree" : "edges";
        constexpr std::int64_t most_edges = std::int64_t{1} << 40U; // counted in 64 bits, but drawn in memory
        const syntax::CallArgument &given = arguments_.require(amount);
        file.edges = number(amount, given, lattice ? most_columns : most_edges, 1);
        if (lattice && file.edges % 2 != 0)
            context_.fail(odd_degree, given.where, {});
        read_seed(file);
    }

    void read_seed(planrt::GraphFile &file) {
        if (const auto *seed = arguments_.find("seed"))
            file.seed = static_cast<std::uint64_t>(number("seed", *seed, std::numeric_limits<std::int64_t>::max()));
    }

    void read_column(planrt::GraphFile &file) {
        file.column = static_cast<int>(number("column", arguments_.require("column"), most_columns));
        if (const auto *other = arguments_.find("negatives_of"))
            file.negatives_of = static_cast<int>(number("negatives_of", *other, most_columns));
        if (file.negatives_of == file.column)
            context_.fail(negatives_of_itself, arguments_.require("negatives_of").where, {});
        read_seed(file);
    }

    [[nodiscard]] std::int64_t number(const std::string &name, const syntax::CallArgument &given, std::int64_t most,
                                      std::int64_t least = 0) {
        return expect_integer_in(context_, constants_.evaluate(*given.value), given.where, arguments_.what(name), least,
                                 most);
    }

    [[nodiscard]] bool truth(const std::string &name) {
        const syntax::CallArgument *given = arguments_.find(name);
        return given != nullptr &&
               expect_boolean(context_, constants_.evaluate(*given->value), given->where, arguments_.what(name));
    }

    /// Empty if it is not given.
    [[nodiscard]] std::string word(const std::string &name, const std::vector<std::string> &known) const {
        const syntax::CallArgument *given = arguments_.find(name);
        return given == nullptr ? "" : expect_word(context_, *given->value, arguments_.what(name), known);
    }

    const Context &context_;
    Elaborator &constants_;
    bool is_drawn_;
    planrt::GraphFormat format_;
    Arguments arguments_;
};

} // namespace

bool is_matrix_source(const std::string &name) {
    return name == drawn || formats.contains(name);
}

MatrixFile read_matrix_source(const syntax::Call &call, Elaborator &constants, const Context &context) {
    return SourceReader(call, constants, context).read();
}

} // namespace planc::sema
