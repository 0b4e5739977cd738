// Pipeline schedules in files: text (pipeline/text.h), or CSV of PyTorch where the name ends in ".csv".
#pragma once

#include "driver/options/options.h"
#include "driver/planning/request.h"
#include "plan/plan.h"
#include "sema/program.h"

#include <cstdint>
#include <string>

namespace planc::driver {

/// --schedule FILE: gives the pipeline of the chosen layout the schedule of the file. Returns an empty text or the
/// error.
[[nodiscard]] std::string take_schedule(sema::Program &program, const Options &options);

/// --save-schedule FILE: writes the schedule of a plan. Returns an empty text or the error.
[[nodiscard]] std::string save_schedule(const plan::Plan &plan, std::int64_t microbatches, const Options &options);

} // namespace planc::driver
