// A plan as a layout in the language's own words: a .plan file that planc --layout reads, or that another file imports.
//
// Example:
//   mesh grid = [rows: 2, cols: 2]
//
//   layout best on grid {
//       hidden -> [rows, cols]
//       logits { digit -> none }
//   }
#pragma once

#include "driver/options/options.h"
#include "driver/planning/request.h"
#include "plan/plan.h"
#include "planning/memory_savings.h"

#include <string>

namespace planc::driver {

/// The layout contains the mesh with sizes, the machine, the rules of every layer, storage, micro-batches and
/// recomputation; comments state its cost and the reasons for it. The text is in canonical form. Read back for the same
/// network, it gives the same plan.
[[nodiscard]] std::string layout_text(const sema::Program &program, const PlanRequest &request, const plan::Plan &plan,
                                      const planning::MemorySavings &savings, const Options &options);

} // namespace planc::driver
