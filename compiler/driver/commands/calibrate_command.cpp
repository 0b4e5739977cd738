// planc calibrate: builds and runs the measuring program, fits, writes a machine.

#include "driver/commands/commands.h"
#include "driver/files/compile_cpp.h"
#include "driver/files/locate.h"
#include "driver/files/read_file.h"
#include "driver/files/workshop.h"
#include "driver/files/write_file.h"

#include "calibrate/fit.h"
#include "calibrate/machine_text.h"
#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "syntax/print.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace planc::driver {

namespace {

constexpr const char *program = "#include <planrt/measure.h>\n\n"
                                "int main(int argc, char **argv) {\n"
                                "    return planrt::measure(argc, argv);\n"
                                "}\n";
constexpr const char *seconds = "90";
constexpr const char *quick_seconds = "8";

/// Does the same as scripts/mpirun, because Open MPI refuses to run as root or with more ranks than cores. Settings of
/// the user are kept.
void let_mpirun_start() {
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    if (geteuid() != 0)
        return;
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

/// Returns an empty text if `json` holds the measurements, else the error.
std::string measure(const Options &options, std::string &json) {
    const Workshop workshop("calibrate");
    if (!workshop.exists())
        return "cannot make a directory for temporary files";
    const std::string executable = workshop.file("measure");
    if (std::string error = compile_cpp({program, executable, compiler_of(options), false}, locate_installation());
        !error.empty())
        return error;
    const std::int64_t cores = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
    std::vector<std::string> command = words(options.mpirun);
    if (command.empty())
        return "--mpirun names no command";
    const std::string measured = workshop.file("measurements.json");
    for (const std::string &word : {std::string("-n"), std::to_string(options.ranks.value_or(cores)), executable,
                                    measured, std::string(options.quick ? quick_seconds : seconds)})
        command.push_back(word);
    let_mpirun_start();
    if (std::string error = run_program(command, "the measurements failed"); !error.empty())
        return error;
    return read_file(measured, json);
}

/// The machine's name from its file: "here" for "machines/here.plan". Characters that names cannot contain are
/// replaced.
std::string name_of(const std::string &path) {
    std::string name = std::filesystem::path(path).stem().string();
    std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
        name.insert(0, "machine_");
    return name;
}

double memory_of_this_machine() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long bytes = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && bytes > 0 ? static_cast<double>(pages) * static_cast<double>(bytes) : 0;
}

/// The text in canonical form.
std::string formatted(const std::string &text) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const auto file = syntax::parse(files.add("machine.plan", text), files, diagnostics);
    return file ? syntax::format(*file, files) : text;
}

int fail(const std::string &line) {
    std::cerr << "planc: " << line << '\n';
    return input_error;
}

} // namespace

int calibrate_command(const Options &options) {
    std::string json;
    const std::string error = options.from.empty() ? measure(options, json) : read_file(options.from, json);
    if (!error.empty())
        return fail(error);
    const std::string source = options.from.empty() ? "the measurements" : "'" + options.from + "'";
    const auto read = calibrate::read_measurements(json);
    if (const auto *wrong = std::get_if<std::string>(&read))
        return fail(source + ": no measurements of planc calibrate: " + *wrong);
    const auto &measurements = std::get<calibrate::Measurements>(read);
    calibrate::Fit fit;
    if (std::string missing = calibrate::fit(measurements, fit); !missing.empty())
        return fail(source + ": " + missing);
    if (options.from.empty())
        fit.machine.memory_bytes = memory_of_this_machine() / static_cast<double>(measurements.ranks);
    const std::string text = formatted(
        calibrate::machine_text(fit, options.output.empty() ? "here" : name_of(options.output), measurements.ranks));
    if (!options.measurements.empty())
        if (std::string failed = write_file(options.measurements, json); !failed.empty())
            return fail(failed);
    if (options.output.empty()) {
        std::cout << text;
        return done;
    }
    const std::string failed = write_file(options.output, text);
    return failed.empty() ? done : fail(failed);
}

} // namespace planc::driver
