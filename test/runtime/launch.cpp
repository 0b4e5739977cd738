#include "launch.h"

#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <stdexcept>

Outcome launch(int ranks, const std::string &program, const std::string &arguments,
               const std::map<std::string, std::string> &environment) {
    std::string command = "PLANC_TIMEOUT=100";
    for (const auto &[name, value] : environment)
        command += " " + name + "='" + value + "'";
    command += " '" MPIRUN "' " + std::to_string(ranks) + " '" PROGRAMS "/" + program + "' " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
        throw std::runtime_error("cannot start " + command);
    Outcome outcome;
    char piece[4096];
    while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe))
        outcome.output.append(piece, got);
    const int status = pclose(pipe);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::istringstream lines(outcome.output);
    const std::string mark = "planrt: ";
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(mark))
            outcome.errors.push_back(line.substr(mark.size()));
    return outcome;
}
