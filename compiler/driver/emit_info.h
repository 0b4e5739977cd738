// What an emitted program says about itself that is not in the IR: names, data, predicted times.
#pragma once

#include "driver/planning/request.h"
#include "emit/emit.h"
#include "plan/plan.h"
#include "sema/program.h"
#include "support/source.h"

namespace planc::driver {

/// Everything referred to must outlive the result.
[[nodiscard]] emit::EmitInfo emit_info(const sema::Program &program, const PlanRequest &request, const plan::Plan &plan,
                                       const support::SourceFiles &files);

} // namespace planc::driver
