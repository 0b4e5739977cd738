// Failures at run time, which end all ranks with one clear line.
#pragma once

#include "support/plain_failure.h"

#include <mpi.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace planrt {

/// Exit codes of run().
constexpr int exit_failure = 1;
constexpr int exit_usage = 2;
constexpr int exit_traffic_differs = 3;

/// All ranks fail here in the same way, or have agreed to fail. Rank 0 reports it unless the message is empty (already
/// reported).
class CommonFailure : public std::runtime_error {
  public:
    CommonFailure(const std::string &message, int exit_code) : std::runtime_error(message), exit_code_(exit_code) {}
    [[nodiscard]] int exit_code() const { return exit_code_; }

  private:
    int exit_code_;
};

/// Writes "planrt: MESSAGE\n" to the error output, in one write. Characters that would break the line are escaped
/// (printable.h).
void say_error(const std::string &message);

/// Ends all ranks with "planrt: rank R: MESSAGE". Of ranks that fail at about the same time, only one reports; the
/// others wait.
[[noreturn]] void abort_all_ranks(const std::string &message);

/// Runs `action` under MPI, reports its failures, ends MPI and returns the exit code. `action` must return the same
/// code on all ranks. If the code is not 0, all ranks end in a way that makes the launcher add no message of its own.
[[nodiscard]] int ending(const std::function<int()> &action);

/// Runs `action` on every rank; if it fails anywhere, the lowest failing rank says why and all ranks throw
/// CommonFailure with this exit code. Collective over the world; for set-up, evaluation and files, not for steps.
void together(const std::function<void()> &action, int exit_code = exit_failure);

/// Throws Failure with MPI's own message if `code` is not success. `operation`: what was attempted, "all-reduce".
void check_mpi(int code, const char *operation);

} // namespace planrt
