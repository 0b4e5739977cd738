// What the commands write: files, and standard output.
#pragma once

#include <string>

namespace planc::driver {

/// Writes a file whole or not at all: to a temporary name beside it, then renamed. A link leads to what it names, the
/// rights of a file that is there stay, and what is no file (/dev/stdout, a pipe) is written as it stands. Empty, or
/// what went wrong.
[[nodiscard]] std::string write_file(const std::string &path, const std::string &text);

/// Whether write_file() could write there: empty, or what would go wrong. Nothing is written.
[[nodiscard]] std::string check_writable(const std::string &path);

/// The end of a command whose exit code is `code`: standard output is flushed. What could not be written (a full
/// disk) is told, and turns success into an error.
[[nodiscard]] int flush_standard_output(int code);

} // namespace planc::driver
