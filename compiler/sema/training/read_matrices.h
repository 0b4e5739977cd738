// The sparse arguments of losses are read while compiling: their nonzeros decide what their products cost (T9).
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// Fills Train::matrices of every training. A file that is missing or wrong is an error.
void read_matrices(Analysis &analysis);

} // namespace planc::sema
