// Runs a program of programs/ on several ranks and gives back what it said.
#pragma once

#include <map>
#include <string>
#include <vector>

struct Outcome {
    int exit_code = 0;
    std::string output;              ///< standard output and error output
    std::vector<std::string> errors; ///< the lines of planrt's errors, without "planrt: "
};

/// `environment`: variables added to those of the test.
Outcome launch(int ranks, const std::string &program, const std::string &arguments,
               const std::map<std::string, std::string> &environment);
