#pragma once

#include <string>

namespace planc::driver {

/// Reads a regular file as a whole. Returns an empty text, or the error ("cannot read 'x.plan': No such file or
/// directory").
[[nodiscard]] std::string read_file(const std::string &path, std::string &text);

} // namespace planc::driver
