// Which loop of a sparse matrix its product sums over (plan.spmm).
#pragma once

#include <string>

namespace planc::ir {

struct MatrixLoops {
    std::string kept;        ///< in the result
    std::string summed;      ///< in the operand
    bool transposed = false; ///< the matrix's columns are kept
};

} // namespace planc::ir
