// The table of a pipeline schedule that a layout has (P8).
#pragma once

#include "pipeline/schedule.h"
#include "sema/context.h"
#include "syntax/ast.h"

namespace planc::sema {

/// Reads the rows of `schedule = table { … }`. An error stands at the action that is wrong, or at the table.
[[nodiscard]] pipeline::Schedule read_schedule_table(const Context &context, const syntax::Setting &setting);

} // namespace planc::sema
