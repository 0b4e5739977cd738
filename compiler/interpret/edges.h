// Sums and maxima over the entries of a sparse matrix (plan.edge_reduce) on one rank.
#pragma once

#include "interpret/evaluate.h"
#include "ir/plan_dialect.h"

namespace planc::interpret {

/// `space`: the range of each of its loops. The result has its box and is filled.
void evaluate_edges(ir::EdgeReduceOp op, const planrt::Box &space, const std::vector<const Local *> &operands,
                    Local &result, const Moment &moment);

} // namespace planc::interpret
