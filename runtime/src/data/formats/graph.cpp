// The data of graphs: columns of tables (CSV), such as that of the vertices, and dense matrices from files. A batch is
// all rows, in the order of the file. The data set's own table says which of its rows train.
#include "data/formats/readers.h"

#include "data/formats/lines.h"
#include "data/matrix_files.h"
#include "support/failure.h"

#include <planrt/graph_file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace planrt {

namespace {

/// "train" or 0, "validation" or 1, "test" or 2; everything else is in no part.
double part_of(std::string_view word) {
    constexpr std::array<std::string_view, 3> names = {"train", "validation", "test"};
    const auto name = std::find(names.begin(), names.end(), word);
    if (name == names.end() && word.size() == 1 && word[0] >= '0' && word[0] <= '2')
        return word[0] - '0';
    return static_cast<double>(name - names.begin()); // 3: none
}

/// Where the raw numbers of a field go, vertex by vertex. Returns false, with the reason, if one is not valid.
struct Sink {
    const Field &field;
    std::function<bool(const double *raw, std::string &reason)> append;
};

std::int64_t elements_of(const Field &field) {
    std::int64_t elements = 1;
    for (const Dimension &dimension :
         field.tensor.dimensions.subspan(1 + static_cast<std::size_t>(std::max(field.hops, 0))))
        elements *= dimension.extent;
    return elements;
}

/// Of the table.
std::int64_t rows_of(const Field &field) {
    return field.hops >= 0 ? field.rows : field.tensor.dimensions[0].extent;
}

/// A table, of which only the columns in use must be numbers.
class TableReader {
  public:
    /// `file`: as in Field::file; empty: the data set's own table. `parts`: of its rows; stays empty for other tables.
    TableReader(const DataSource &source, const std::string &file, const std::vector<Sink> &sinks, SplitColumn &parts)
        : set_(source.set), is_own_(file.empty()), path_(source.path(is_own_ ? source.set.path : file.c_str())),
          parts_(parts) {
        for (const Sink &sink : sinks)
            if (sink.field.matrix == nullptr && sink.field.file == file) {
                declared_ = rows_of(sink.field);
                if (!is_weight(sink.field))
                    sinks_.push_back(sink);
            }
    }

    void read() {
        Lines lines(path_);
        std::string_view line;
        while (lines.next(line)) {
            line_ = lines.number();
            if (!(set_.header && line_ == 1) && !line.empty())
                add(line);
        }
        if (rows_ != declared_)
            throw Failure(text("%s: has %lld rows; declared are %lld", path_.c_str(), static_cast<long long>(rows_),
                               static_cast<long long>(declared_)));
    }

  private:
    [[noreturn]] void fail(const std::string &reason) const {
        throw Failure(text("%s:%lld: ", path_.c_str(), static_cast<long long>(line_)) + reason);
    }

    void add(std::string_view line) {
        words_.clear();
        for (std::size_t at = 0; at <= line.size();) {
            const std::size_t comma = std::min(line.find(',', at), line.size());
            words_.push_back(trim(line.substr(at, comma - at)));
            at = comma + 1;
        }
        if (is_own_)
            parts_.push_back(set_.split == SplitKind::column ? part_of(word(set_.split_column)) : train_part);
        ++rows_;
        for (const Sink &sink : sinks_)
            append(sink);
    }

    [[nodiscard]] std::string_view word(int column) const {
        if (std::cmp_greater_equal(column, words_.size()))
            fail(text("expected at least %d columns, got %zu", column + 1, words_.size()));
        return words_[static_cast<std::size_t>(column)];
    }

    void append(const Sink &sink) {
        const Field &field = sink.field;
        numbers_.clear();
        for (int column = field.first_column; column < field.last_column; ++column)
            numbers_.push_back(number(column));
        std::string reason;
        if (sink.append(numbers_.data(), reason))
            return;
        // A row in no part may have no label.
        std::fill(numbers_.begin(), numbers_.end(), 0);
        const bool counts = !is_own_ || parts_.back() != no_part;
        if (field.tensor.type != Type::i32 || counts || !sink.append(numbers_.data(), reason))
            fail(text("column %d: ", field.first_column) + reason);
    }

    [[nodiscard]] double number(int column) const {
        const std::string_view given = word(column);
        const char *begin = given.data() + (given.starts_with('+') ? 1 : 0);
        double value = 0;
        const auto [rest, error] = std::from_chars(begin, given.data() + given.size(), value);
        if (error == std::errc{} && rest == given.data() + given.size())
            return value;
        const bool may_be_header = line_ == 1 && !set_.header;
        fail(text("column %d: expected a number, got '%.*s'%s", column,
                  static_cast<int>(std::min<std::size_t>(given.size(), 40)), given.data(),
                  may_be_header ? " (header = true passes over a line of names)" : ""));
    }

    const DataSet &set_;
    bool is_own_;
    std::string path_;
    SplitColumn &parts_;
    std::vector<Sink> sinks_;
    std::int64_t declared_ = 0;
    std::int64_t rows_ = 0;
    std::int64_t line_ = 0;
    std::vector<std::string_view> words_;
    std::vector<double> numbers_;
};

/// A row of a matrix for each row of the tensor.
void read_dense(const DataSource &source, const Sink &sink) {
    const Field &field = sink.field;
    MatrixFile file = *field.matrix;
    file.rows = rows_of(field);
    file.columns = elements_of(field);
    const Pattern matrix = read_matrix(source, file);
    std::vector<double> row(static_cast<std::size_t>(matrix.columns));
    std::string reason;
    for (std::int64_t number = 0; number < matrix.rows; ++number) {
        std::fill(row.begin(), row.end(), 0);
        for (std::int64_t i = matrix.row_begin[number]; i < matrix.row_begin[number + 1]; ++i)
            row[matrix.column[i]] = matrix.value_of(i);
        if (!sink.append(row.data(), reason))
            throw Failure(text("%s: row %lld: ", source.path(file.path).c_str(), static_cast<long long>(number)) +
                          reason);
    }
}

/// A row of random values for each vertex, by the name of the field, without that of the matrix that multiplies it.
void draw_rows(const DataSource &source, const Sink &sink) {
    const Field &field = sink.field;
    const std::string_view name = field.name;
    const std::size_t star = name.rfind(" * ");
    SampleDrawer drawer(source.set.seed, star == std::string_view::npos ? name : name.substr(star + 3), field,
                        elements_of(field));
    std::string reason;
    for (std::int64_t row = 0; row < rows_of(field); ++row)
        if (!sink.append(drawer.sample(row).data(), reason))
            throw Failure(text("random %s: ", field.name) + reason);
}

/// Fields of the data set's own table, where there is none.
void draw_fields(const DataSource &source, const std::vector<Sink> &sinks, SplitColumn &parts) {
    for (const Sink &sink : sinks) {
        if (sink.field.matrix != nullptr || *sink.field.file != '\0')
            continue;
        parts.assign(static_cast<std::size_t>(rows_of(sink.field)), train_part);
        if (!is_weight(sink.field))
            draw_rows(source, sink);
    }
}

/// The rows of a field that is multiplied by a sparse matrix before it is stored.
struct Product {
    explicit Product(FieldStore &of) : store(of) {}

    /// Scales and shifts, which a store does of other fields.
    void append(const double *raw) {
        const Field &field = store.field();
        for (std::int64_t i = 0; i < store.sample_elements(); ++i) {
            const Affine affine = field.channels.empty() ? Affine{field.scale, field.shift}
                                                         : field.channels[i % std::ssize(field.channels)];
            rows.push_back(raw[i] * affine.scale + affine.shift);
        }
    }

    void store_sums(const DataSource &source) const {
        Pattern factor = read_matrix(source, *store.field().factor);
        if (store.field().mean)
            divide_by_degrees(factor);
        std::vector<double> sums(static_cast<std::size_t>(store.sample_elements()));
        std::string reason;
        for (std::int64_t vertex = 0; vertex < factor.rows; ++vertex) {
            std::fill(sums.begin(), sums.end(), 0);
            for (std::int64_t i = factor.row_begin[vertex]; i < factor.row_begin[vertex + 1]; ++i)
                for (std::size_t k = 0; k < sums.size(); ++k)
                    sums[k] += factor.value_of(i) * rows[factor.column[i] * sums.size() + k];
            if (!store.append(sums.data(), reason))
                throw Failure(text("%s: the sum of vertex %lld's neighbours: ", store.field().name,
                                   static_cast<long long>(vertex)) +
                              reason);
        }
    }

    FieldStore &store;
    std::vector<double> rows;
};

/// N / n for the n of N rows that are in the training part: see Body::fields.
void append_weights(const SplitColumn &parts, FieldStore &store) {
    const auto counted = std::count(parts.begin(), parts.end(), train_part);
    std::string reason;
    for (const double part : parts) {
        const double weight = part == train_part ? static_cast<double>(parts.size()) / static_cast<double>(counted) : 0;
        (void)store.append(&weight, reason); // finite
    }
}

} // namespace

void read_graph_data(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &parts) {
    std::deque<Product> products;
    std::vector<Sink> sinks;
    for (FieldStore &store : stores)
        if (is_product(store.field()))
            sinks.push_back(
                {store.field(), [&product = products.emplace_back(store)](const double *raw, std::string &) {
                     product.append(raw);
                     return true;
                 }});
        else
            sinks.push_back({store.field(),
                             [&store](const double *raw, std::string &reason) { return store.append(raw, reason); }});
    std::set<std::string> tables; // "": the data set's own, which says the parts
    for (const Sink &sink : sinks)
        if (sink.field.matrix == nullptr)
            tables.insert(sink.field.file);
    if (*source.set.path == '\0') {
        tables.erase("");
        draw_fields(source, sinks, parts);
    }
    for (const std::string &table : tables)
        TableReader(source, table, sinks, parts).read();
    for (const Sink &sink : sinks)
        if (sink.field.matrix != nullptr)
            read_dense(source, sink);
    for (const Product &product : products)
        product.store_sums(source);
    for (FieldStore &store : stores)
        if (is_weight(store.field()))
            append_weights(parts, store);
}

} // namespace planrt
