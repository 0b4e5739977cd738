#include "data/matrix_files.h"

#include "support/failure.h"

#include <planrt/needed_rows.h>
#include <planrt/vertex_order.h>

namespace planrt {

GraphFile located(const DataSource &source, const MatrixFile &file) {
    return {file.format,
            is_drawn(file.format) ? std::string("synthetic_graph") : source.path(file.path),
            *file.targets == '\0' ? std::string() : source.path(file.targets),
            file.column,
            file.header,
            file.negatives_of,
            file.seed,
            file.edges};
}

Pattern read_matrix(const DataSource &source, const MatrixFile &file) {
    const GraphFile place = located(source, file);
    Pattern matrix = read_graph(
        place, {file.rows, file.columns, file.undirected, file.self_loops, file.duplicates, file.normalization});
    if (file.nonzeros >= 0 && matrix.nonzeros() != file.nonzeros)
        throw Failure(text("%s: has %lld nonzeros, but the program was compiled for %lld; compile it again",
                           place.path.c_str(), static_cast<long long>(matrix.nonzeros()),
                           static_cast<long long>(file.nonzeros)));
    const std::uint64_t changed = file.nonzeros >= 0 ? fingerprint(matrix) ^ file.fingerprint : 0;
    if (changed > 1)
        throw Failure(place.path + ": has other edges than when the program was compiled; compile it again");
    if (changed == 1) // blocks have another size
        throw Failure(place.path +
                      (matrix.values.empty() ? ": values are all alike, but they differed"
                                             : ": values differ, but they were all alike") +
                      " when the program was compiled; compile it again");
    return matrix;
}

Pattern in_order(Pattern matrix, const MatrixFile &file, const Order &order) {
    if (!file.ordered_rows && !file.ordered_columns)
        return matrix;
    const std::vector<std::int32_t> vertices = order_of_text(order.text, order.vertices);
    const std::span<const std::int32_t> none;
    return permuted(matrix, file.ordered_rows ? vertices : none, file.ordered_columns ? vertices : none);
}

Halves halves_of(const Pattern &matrix, const MatrixFile &file) {
    return halves_by_cover(matrix, equal_cuts(matrix.rows, file.cover_parts));
}

namespace {

void number(const Pattern &matrix, int number) {
    if (number != 0)
        number_matrix(matrix, number);
}

bool is_known(int number) {
    return number == 0 || has_matrix(number);
}

} // namespace

void number_matrices(const Program &program, const DataSource &source) {
    for (const MatrixFile &file : program.matrix_files) {
        if (is_known(file.number) && is_known(file.fetched) && is_known(file.sent))
            continue;
        const Pattern matrix = in_order(read_matrix(source, file), file, program.order);
        number(matrix, file.number);
        if (file.cover_parts == 0)
            continue;
        const Halves halves = halves_of(matrix, file);
        number(halves.fetched, file.fetched);
        number(halves.sent, file.sent);
    }
}

void divide_by_degrees(Pattern &matrix) {
    if (matrix.values.empty())
        matrix.values.assign(matrix.column.size(), matrix.value);
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        for (std::int64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i)
            matrix.values[i] /= static_cast<double>(matrix.degree(row));
    drop_alike_values(matrix);
}

} // namespace planrt
