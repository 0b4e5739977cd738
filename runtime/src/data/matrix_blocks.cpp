#include "data/matrix_blocks.h"

#include "data/matrix_files.h"
#include "support/checksum.h"

#include <algorithm>
#include <memory>

namespace planrt {

namespace {

/// Rows and columns of the block, counted from its beginning; of lists, by position. What is not listed is empty.
Pattern cut(const Pattern &matrix, Range rows, Range columns) {
    Pattern block;
    block.rows = rows.size();
    block.columns = columns.size();
    block.value = matrix.value;
    for (std::int64_t r = 0; r < rows.size(); ++r) {
        const std::int64_t row = rows.index(r);
        for (std::int64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
            if (matrix.column[i] < columns.begin || matrix.column[i] >= columns.end)
                continue;
            block.column.push_back(static_cast<std::int32_t>(columns.position(matrix.column[i])));
            if (!matrix.values.empty())
                block.values.push_back(matrix.values[i]);
        }
        block.row_begin.push_back(static_cast<std::int64_t>(block.column.size()));
    }
    return block;
}

/// The pieces, whose arrays follow one another.
template <class T>
std::vector<SparseBlock<T>> views(const std::vector<Pattern> &pieces, const std::int64_t *row_begin,
                                  const std::int32_t *column, const std::vector<T> &values) {
    std::vector<SparseBlock<T>> result;
    const T *value = values.empty() ? nullptr : values.data();
    for (const Pattern &piece : pieces) {
        result.push_back({piece.rows, row_begin, column, value, static_cast<T>(piece.value)});
        row_begin += piece.row_begin.size();
        column += piece.column.size();
        value += piece.values.size();
    }
    return result;
}

std::string checksum(const Pattern &matrix) {
    Checksum sum;
    sum.add(matrix.row_begin.data(), matrix.row_begin.size() * sizeof matrix.row_begin.front());
    sum.add(matrix.column.data(), matrix.column.size() * sizeof(std::int32_t));
    sum.add(matrix.values.data(), matrix.values.size() * sizeof(double));
    sum.add(&matrix.value, sizeof matrix.value);
    return sum.digits();
}

} // namespace

MatrixBlocks::MatrixBlocks(const Program &program, const DataSource &source, int role, const LocalRange &range,
                           const PieceRanges &pieces)
    : stored_(program.matrix_blocks.size()), blocks_(program.matrix_blocks.size(), nullptr) {
    for (std::size_t file = 0; file < program.matrix_files.size(); ++file) {
        const auto needs = [&](const MatrixBlock &block) { return std::cmp_equal(block.file, file); };
        if (std::none_of(program.matrix_blocks.begin(), program.matrix_blocks.end(), needs))
            continue;
        const MatrixFile &described = program.matrix_files[file];
        const Pattern matrix = in_order(read_matrix(source, described), described, program.order);
        const bool has_mean = std::any_of(program.matrix_blocks.begin(), program.matrix_blocks.end(),
                                          [&](const MatrixBlock &block) { return needs(block) && block.mean; });
        Pattern mean = matrix;
        if (has_mean)
            divide_by_degrees(mean);
        facts_.emplace_back(std::string("checksum of ") + described.name, checksum(matrix));
        if (!is_drawn(described.format))
            files_.push_back(located(source, described).path);
        const bool is_cut = described.cover_parts > 0;
        const Halves halves = is_cut ? halves_of(matrix, described) : Halves();
        const Halves halves_of_mean = is_cut && has_mean ? halves_of(mean, described) : Halves();
        for (std::size_t b = 0; b < stored_.size(); ++b) {
            const MatrixBlock &block = program.matrix_blocks[b];
            if (!needs(block) || block.role != role)
                continue;
            const Range rows = range(block.rows);
            const Range columns = range(block.columns);
            const Pattern &whole = block.mean ? mean : matrix;
            const Halves &both = block.mean ? halves_of_mean : halves;
            const Pattern &entries = block.half == Half::whole     ? whole
                                     : block.half == Half::fetched ? both.fetched
                                                                   : both.sent;
            const Range &needed = block.transposed ? rows : columns;
            std::vector<Pattern> parts;
            for (const Range &piece : block.staged < 0 ? std::vector<Range>{needed} : pieces(block.staged))
                parts.push_back(block.transposed ? transposed(cut(entries, piece, columns))
                                                 : cut(entries, rows, piece));
            fill(parts, block, stored_[b]);
            if (needed.listed != nullptr && block.staged < 0)
                stored_[b].of_doubles[0].needed = stored_[b].of_floats[0].needed =
                    std::to_address(std::lower_bound(needed.listed->begin(), needed.listed->end(), needed.begin));
            blocks_[b] = block.type == Type::f64 ? static_cast<const void *>(stored_[b].of_doubles.data())
                                                 : stored_[b].of_floats.data();
        }
    }
}

void MatrixBlocks::fill(const std::vector<Pattern> &pieces, const MatrixBlock &block, Block &to) {
    for (const Pattern &piece : pieces) {
        to.row_begin.insert(to.row_begin.end(), piece.row_begin.begin(), piece.row_begin.end());
        to.column.insert(to.column.end(), piece.column.begin(), piece.column.end());
        if (block.type == Type::f64)
            to.doubles.insert(to.doubles.end(), piece.values.begin(), piece.values.end());
        else
            to.floats.insert(to.floats.end(), piece.values.begin(), piece.values.end());
    }
    to.of_floats = views(pieces, to.row_begin.data(), to.column.data(), to.floats);
    to.of_doubles = views(pieces, to.row_begin.data(), to.column.data(), to.doubles);
}

std::int64_t MatrixBlocks::bytes() const {
    std::size_t bytes = 0;
    for (const Block &block : stored_)
        bytes += block.row_begin.size() * sizeof(std::int64_t) + block.column.size() * sizeof(std::int32_t) +
                 block.floats.size() * sizeof(float) + block.doubles.size() * sizeof(double);
    return static_cast<std::int64_t>(bytes);
}

} // namespace planrt
