// The blocks of sparse matrices that this rank needs, by rows and by columns, made at set-up.
#pragma once

#include "data/formats/readers.h"
#include "support/agreement.h"

#include <planrt/planrt.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace planrt {

class MatrixBlocks {
  public:
    /// The range of a cut dimension that this rank has.
    using LocalRange = std::function<Range(const Dimension &)>;
    /// The ranges of x that its pieces have, for a staged gather.
    using PieceRanges = std::function<std::vector<Range>(int collective)>;

    /// Reads the files of the blocks of `role`. Errors: Failure.
    MatrixBlocks(const Program &program, const DataSource &source, int role, const LocalRange &range,
                 const PieceRanges &pieces);
    MatrixBlocks(const MatrixBlocks &) = delete;
    MatrixBlocks &operator=(const MatrixBlocks &) = delete;

    /// By index of Program::matrix_blocks, a SparseBlock of its type, or one for each piece; null: of another role.
    [[nodiscard]] const void *const *all() const { return blocks_.data(); }
    [[nodiscard]] std::int64_t bytes() const;
    /// Checksums of the files' nonzeros and values: all ranks must have the same.
    [[nodiscard]] const Facts &facts() const { return facts_; }
    [[nodiscard]] const std::vector<std::string> &files() const { return files_; }

  private:
    /// The arrays of a block, of its pieces one after another. Its values are of one of the two types, or left out.
    struct Block {
        std::vector<std::int64_t> row_begin;
        std::vector<std::int32_t> column;
        std::vector<float> floats;
        std::vector<double> doubles;
        std::vector<SparseBlock<float>> of_floats;
        std::vector<SparseBlock<double>> of_doubles;
    };
    static void fill(const std::vector<Pattern> &pieces, const MatrixBlock &block, Block &to);

    std::vector<Block> stored_;
    std::vector<const void *> blocks_;
    Facts facts_;
    std::vector<std::string> files_;
};

} // namespace planrt
