// The text of a sum or maximum over the entries of a sparse matrix (plan.edge_reduce).
#pragma once

#include "emit/functions/body.h"
#include "emit/names/matrices.h"

namespace planc::emit {

/// Loops over the rows of the block, the entries of each, then the other loops of the result, and innermost those that
/// are reduced besides. Each step is computed once all of its loops are open.
void write_edge_reduce(Body &body, ir::EdgeReduceOp op, const Matrices &matrices);

} // namespace planc::emit
