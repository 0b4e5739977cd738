// Failures of code that needs no MPI, which the compiler links too.
#pragma once

#include <stdexcept>
#include <string>

namespace planrt {

/// This rank cannot continue; others may not know. The message names layer, operation and reason, but not the rank.
class Failure : public std::runtime_error {
  public:
    explicit Failure(const std::string &message) : std::runtime_error(message) {}
};

/// printf into a string.
[[nodiscard]] [[gnu::format(printf, 1, 2)]] std::string text(const char *format, ...);

} // namespace planrt
