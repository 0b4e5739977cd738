#include "driver/files/compile_cpp.h"

#include "driver/files/read_file.h"
#include "driver/files/write_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace planc::driver {

std::vector<std::string> words(const std::string &text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;)
        result.push_back(word);
    return result;
}

std::string run_program(const std::vector<std::string> &command, const std::string &failure, const std::string &hint) {
    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str())); // posix_spawnp does not write to them
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
    if (error != 0)
        return "cannot run '" + command[0] + "': " + std::strerror(error) + "; " + hint;
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return "cannot wait for '" + command[0] + "': " + std::strerror(errno);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    return failure;
}

namespace {

std::string source_of(const CompileRequest &request) {
    return request.output + ".cpp";
}

/// Writes the source and begins the command with the compiler's words; returns what went wrong.
std::string begin_command(const CompileRequest &request, std::vector<std::string> &command) {
    if (std::string error = write_file(source_of(request), request.cpp); !error.empty())
        return error;
    command = words(request.compiler);
    return command.empty() ? "--cxx names no compiler" : "";
}

} // namespace

std::string compile_to_simulate(const CompileRequest &request, const Installation &installation) {
    const std::string archive = installation.library + "/libplanrt_smpi.a";
    if (!std::filesystem::exists(archive))
        return "'" + archive + "' is not there: planc was built without SimGrid (package libsimgrid-dev)";
    std::vector<std::string> command;
    if (std::string error = begin_command(request, command); !error.empty())
        return error;
    const std::string include = "-I" + installation.include;
    for (const std::string &word : {std::string("-std=c++20"), std::string("-O1"), std::string("-fopenmp-simd"),
                                    include, std::string("-o"), request.output, source_of(request), archive})
        command.push_back(word);
    return run_program(command, "'" + command[0] + "' could not compile the program to be simulated",
                       "is SimGrid installed (package libsimgrid-dev)?");
}

std::string compile_cpp(const CompileRequest &request, const Installation &installation) {
    std::vector<std::string> command;
    if (std::string error = begin_command(request, command); !error.empty())
        return error;
    // Before the user's own options, so that theirs win.
    const std::vector<std::string> defaults{"-std=c++20",
                                            "-O3",
                                            "-march=native",
                                            "-fopenmp-simd",
                                            "-fno-math-errno",
                                            "-fno-trapping-math",
                                            "-I" + installation.include};
    command.insert(command.begin() + 1, defaults.begin(), defaults.end());
    // libplanrt.a before MPI's own library, which mpicxx puts last: its wrappers count what is sent.
    for (const std::string &word :
         {std::string("-o"), request.output, source_of(request), installation.library + "/libplanrt.a"})
        command.push_back(word);
    std::string flags;
    if (std::string error = read_file(installation.library + "/planrt.flags", flags); !error.empty())
        return error;
    for (std::string &word : words(flags))
        command.push_back(std::move(word));
    std::string error = run_program(command, "'" + command[0] + "' could not compile the emitted program");
    std::error_code ignored;
    if (!request.keep_cpp && error.empty())
        std::filesystem::remove(source_of(request), ignored);
    return error;
}

} // namespace planc::driver
