// From emitted C++ to an executable: calls the MPI compiler with the runtime's header and library.
#pragma once

#include "driver/files/locate.h"

#include <string>
#include <vector>

namespace planc::driver {

struct CompileRequest {
    std::string cpp;       ///< the program's text
    std::string output;    ///< the executable
    std::string compiler;  ///< "mpicxx", or with options of the user's: "mpicxx -march=skylake-avx512"
    bool keep_cpp = false; ///< leave OUTPUT.cpp; else the source is a temporary file
    bool fast = false;     ///< compile quickly rather than well
};

/// The same for a program to be simulated, with SimGrid's compiler.
[[nodiscard]] std::string compile_to_simulate(const CompileRequest &request, const Installation &installation);

/// Returns an empty text if the executable was written, else the error in one line.
[[nodiscard]] std::string compile_cpp(const CompileRequest &request, const Installation &installation);

/// The words of a command.
[[nodiscard]] std::vector<std::string> words(const std::string &text);

/// Runs a command without a shell; its output goes to ours. Returns an empty text or the error: `failure` if the
/// command fails; if it cannot be run, a message with the question `hint`.
[[nodiscard]] std::string run_program(const std::vector<std::string> &command, const std::string &failure,
                                      const std::string &hint = "is Open MPI's compiler installed?");

} // namespace planc::driver
