// Calls of the kernels of plan.attention.
#pragma once

#include "emit/functions/body.h"

namespace planc::emit {

void write_attention(Body &body, ir::AttentionOp attention);

} // namespace planc::emit
