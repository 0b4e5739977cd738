// Where the files of a data set are while compiling.
#pragma once

#include "sema/context.h"
#include "sema/program.h"

#include <string>

namespace planc::sema {

/// The path of `file`: below the directory of the .plan file; with --data below that one, or directly in it under its
/// last name, as the program finds it with its own --data.
[[nodiscard]] std::string data_path(const Data &data, const std::string &file, const Context &context);

} // namespace planc::sema
