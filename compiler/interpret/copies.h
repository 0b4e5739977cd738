// Parameters that several stages of a pipeline use: each has a copy (the variable's attribute `copy_of`), and all
// copies stay equal to the last bit.
#pragma once

#include "interpret/interpret.h"

namespace planc::interpret {

/// Gives copies without a value that of their variable.
void fill_copies(mlir::ModuleOp module, std::map<std::string, Array> &variables);

/// Throws Failure if a copy differs from its variable.
void check_copies(mlir::ModuleOp module, const std::map<std::string, Array> &variables);

} // namespace planc::interpret
