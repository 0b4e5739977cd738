// Convolutions and pools as C++ text: the geometry of the rank's blocks (planrt/windows.h) and the calls.
#pragma once

#include "emit/functions/body.h"

namespace planc::emit {

void write_convolution(Body &body, ir::ConvOp conv);
void write_pack(Body &body, ir::PackOp pack);
void write_unpack(Body &body, ir::UnpackOp unpack);
void write_pool(Body &body, ir::PoolOp pool);
void write_max_pool(Body &body, ir::MaxPoolOp pool);

} // namespace planc::emit
