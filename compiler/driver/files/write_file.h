// The output of the commands: files, and standard output.
#pragma once

#include <string>

namespace planc::driver {

/// Writes a file completely or not at all: under a temporary name beside it, which is then renamed. Links are followed,
/// an existing file keeps its permissions, and anything but a regular file (/dev/stdout, a pipe) is written in place.
/// Returns an empty text or the error.
[[nodiscard]] std::string write_file(const std::string &path, const std::string &text);

/// Checks whether write_file() could write there, without writing. Returns an empty text or the error.
[[nodiscard]] std::string check_writable(const std::string &path);

/// Flushes standard output at the end of a command and returns its exit code `code`. If the output cannot be written (a
/// full disk), this is reported, and success becomes an error.
[[nodiscard]] int flush_standard_output(int code);

} // namespace planc::driver
