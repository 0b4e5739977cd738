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

/// "a_vertex_over_rows", from the matrix, the axes that cut its rows and columns, whether it is transposed, and the
/// role that runs the operation. Equal blocks have equal names.
[[nodiscard]] std::string matrix_name(ir::SpmmOp op);

/// An input that is multiplied by a sparse matrix at set-up (hoist-input-products): "a * x", "mean a * x".
struct InputProduct {
    std::string field;  ///< the input itself if it is none
    std::string matrix; ///< "": none
    bool mean = false;
};
[[nodiscard]] InputProduct input_product(const std::string &name);

class Matrices {
  public:
    /// `fields`: of the data set; `known`: the sparse ones among them, as the compiler read them.
    Matrices(const Step &step, const std::vector<sema::Field> &fields, const std::vector<sema::Matrix> &known);

    /// The constants `matrix::…`; "" if there are none.
    [[nodiscard]] std::string constants() const;
    /// Rows of planrt::MatrixFile and of planrt::MatrixBlock.
    [[nodiscard]] std::vector<std::string> files() const;
    [[nodiscard]] std::vector<std::string> blocks(LocalExtents &extents) const;
    /// The text of the pointer to the file of a field; "nullptr" for others.
    [[nodiscard]] std::string file_of(const std::string &field) const;

  private:
    [[nodiscard]] std::string file_row(const sema::Field &field) const;
    [[nodiscard]] std::size_t index_of(llvm::StringRef field) const;

    std::vector<ir::SpmmOp> products_; ///< one for each block
    std::vector<sema::Field> fields_;  ///< those that are matrices
    const std::vector<sema::Matrix> &known_;
};

} // namespace planc::emit
