#include "driver/files/compile_cpp.h"

#include "driver/files/read_file.h"
#include "driver/files/workshop.h"
#include "driver/files/write_file.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
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

namespace {

/// While an object exists, Ctrl-C ends the program that is waited for, but not planc, which still has files to remove.
class InterruptsToChild {
  public:
    InterruptsToChild() {
        struct sigaction ignore{};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignore, &before_);
        posix_spawnattr_init(&attributes_);
        if (before_.sa_handler == SIG_IGN) // interrupts were ignored before, too
            return;
        sigset_t interrupts;
        sigemptyset(&interrupts);
        sigaddset(&interrupts, SIGINT);
        posix_spawnattr_setsigdefault(&attributes_, &interrupts);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
    }
    ~InterruptsToChild() {
        posix_spawnattr_destroy(&attributes_);
        sigaction(SIGINT, &before_, nullptr);
    }
    InterruptsToChild(const InterruptsToChild &) = delete;
    InterruptsToChild &operator=(const InterruptsToChild &) = delete;

    [[nodiscard]] const posix_spawnattr_t *attributes() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
    struct sigaction before_{};
};

} // namespace

std::string run_program(const std::vector<std::string> &command, const std::string &failure, const std::string &hint) {
    std::vector<char *> arguments;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str())); // posix_spawnp does not write to them
    arguments.push_back(nullptr);
    const InterruptsToChild interrupts;
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], nullptr, interrupts.attributes(), arguments.data(), environ);
    if (error != 0)
        return "cannot run '" + command[0] + "': " + std::strerror(error) + "; " + hint;
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return "cannot wait for '" + command[0] + "': " + std::strerror(errno);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
        return "interrupted";
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    return failure;
}

namespace {

/// A path that no program takes for an option or a list of arguments: "-x" is "./-x".
std::string as_argument(const std::string &path) {
    return path.starts_with('/') ? path : "./" + path;
}

/// A program's source and the command that compiles it.
class Compilation {
  public:
    explicit Compilation(const CompileRequest &request) : request_(request), workshop_("compile") {}

    /// Writes the source and begins the command with the compiler. Returns an empty text or the error.
    std::string prepare() {
        command = words(request_.compiler);
        if (command.empty())
            return "--cxx names no compiler";
        if (std::string reason = check_writable(request_.output); !reason.empty())
            return reason;
        if (!workshop_.exists())
            return "cannot make a directory for temporary files";
        source_ = request_.keep_cpp ? as_argument(request_.output + ".cpp") : workshop_.file("program.cpp");
        return write_file(source_, request_.cpp);
    }

    /// Appends the output, the inputs and the libraries after the options. Returns an empty text or the error.
    std::string add_files(const std::string &library, const std::string &archive) {
        std::string flags;
        if (std::string error = read_file(library + "/planrt.flags", flags); !error.empty())
            return error;
        command.insert(command.end(), {"-o", as_argument(request_.output), source_, library + "/" + archive});
        for (std::string &word : words(flags))
            command.push_back(std::move(word));
        return {};
    }

    std::vector<std::string> command;

  private:
    const CompileRequest &request_;
    Workshop workshop_;
    std::string source_;
};

} // namespace

std::string compile_to_simulate(const CompileRequest &request, const Installation &installation) {
    const std::string archive = "libplanrt_smpi.a";
    if (!std::filesystem::exists(installation.library + "/" + archive))
        return "'" + installation.library + "/" + archive +
               "' is not there: planc was built without SimGrid (package libsimgrid-dev)";
    Compilation compilation(request);
    if (std::string error = compilation.prepare(); !error.empty())
        return error;
    std::vector<std::string> &command = compilation.command;
    command.insert(command.end(), {"-std=c++20", "-O1", "-fopenmp-simd", "-I" + installation.include});
    if (std::string error = compilation.add_files(installation.library, archive); !error.empty())
        return error;
    return run_program(command, "'" + command[0] + "' could not compile the program to be simulated",
                       "is SimGrid installed (package libsimgrid-dev)?");
}

std::string compile_cpp(const CompileRequest &request, const Installation &installation) {
    Compilation compilation(request);
    if (std::string error = compilation.prepare(); !error.empty())
        return error;
    // These come before the user's own options, which therefore win.
    const std::vector<std::string> defaults{
        "-std=c++20",         request.fast ? "-O1" : "-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno",
        "-fno-trapping-math", "-I" + installation.include};
    std::vector<std::string> &command = compilation.command;
    command.insert(command.begin() + 1, defaults.begin(), defaults.end());
    // libplanrt.a comes before MPI's own library, which mpicxx puts last, so that its wrappers count the messages.
    if (std::string error = compilation.add_files(installation.library, "libplanrt.a"); !error.empty())
        return error;
    return run_program(command, "'" + command[0] + "' could not compile the emitted program");
}

} // namespace planc::driver
