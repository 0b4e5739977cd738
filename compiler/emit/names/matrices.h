// The blocks of sparse matrices by which an emitted program multiplies: their names, and the tables that describe them
// and their files.
//
//   matrix::a, matrix::a_transposed, matrix::a_vertex_over_rows: indices into Program::matrix_blocks
#pragma once

#include "emit/names/local_extents.h"
#include "emit/step.h"
#include "sema/program.h"

#include <string>
#include <vector>

namespace planc::emit {

/// What an input is, by its name: a field "x"; one that is multiplied by a sparse matrix at set-up, "a * x" or "mean a
/// * x" (hoist-input-products); one by trees of sampled neighbours, "x at 2 hops", or the entries of a matrix that a
/// hop samples, "a at hop 2" or "mean a at hop 2" (sample-neighbours).
struct InputProduct {
    std::string field;  ///< of entries: empty
    std::string matrix; ///< "": none
    bool mean = false;
    int hops = -1; ///< -1: not by trees
    [[nodiscard]] bool entries() const { return field.empty(); }
    /// The hop that samples the matrix.
    [[nodiscard]] int sampled_hop() const { return entries() ? hops : hops + 1; }
};
[[nodiscard]] InputProduct input_product(const std::string &name);

class Matrices {
  public:
    /// `fields`: of the data set; `known`: the sparse ones among them, as the compiler read them.
    Matrices(const Step &step, const std::vector<sema::Field> &fields, const std::vector<sema::Matrix> &known);

    /// "a_vertex_over_rows": of the block by which the operation multiplies, from the matrix, the axes that cut its
    /// rows and columns, and whether it is transposed. Equal blocks have equal names.
    [[nodiscard]] const std::string &name_of(mlir::Operation *op) const;
    /// The constants `matrix::…`; "" if there are none.
    [[nodiscard]] std::string constants() const;
    /// Rows of planrt::MatrixFile and of planrt::MatrixBlock.
    [[nodiscard]] std::vector<std::string> files() const;
    [[nodiscard]] std::vector<std::string> blocks(LocalExtents &extents) const;
    /// The text of the pointer to the file of a field; "nullptr" for others.
    [[nodiscard]] std::string file_of(const std::string &field) const;

  private:
    /// Last members of such a row: the parts of the covers of its halves, and the halves' numbers; empty: there are
    /// none.
    [[nodiscard]] std::vector<std::string> halves_of(const sema::Field &field) const;
    [[nodiscard]] std::string file_row(const sema::Field &field) const;
    [[nodiscard]] std::size_t index_of(llvm::StringRef field) const;

    struct Block {
        mlir::Operation *user; ///< the first one of this block
        std::string title;     ///< "a transposed"
        std::string name;
    };
    std::vector<Block> blocks_;
    std::vector<sema::Field> fields_; ///< those that are matrices
    const std::vector<sema::Matrix> &known_;
};

} // namespace planc::emit
