// What plan.attention computes, point by point.
#pragma once

#include "interpret/local.h"

#include "ir/plan_dialect.h"

namespace planc::interpret {

/// `space`: the range of each loop of its nest. The results have their boxes.
void evaluate_attention(ir::AttentionOp op, const planrt::Box &space, const std::vector<const Local *> &operands,
                        std::vector<Local> &results);

} // namespace planc::interpret
