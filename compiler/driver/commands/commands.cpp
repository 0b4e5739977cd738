#include "driver/commands/commands.h"

#include "driver/compilation.h"
#include "driver/files/compile_cpp.h"
#include "driver/files/write_file.h"

#include "cost/reports/report.h"
#include "support/diagnostics.h"
#include "timeline/report.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "llvm/Support/raw_ostream.h"

namespace planc::driver {

namespace {

int list_diagnostics() {
    for (const support::DiagnosticKind *kind : support::catalogue()) {
        static constexpr const char *severities[] = {"error", "warning", "note"};
        std::cout << kind->name << '\t' << severities[static_cast<int>(kind->severity)] << '\t' << kind->format << '\n';
    }
    return done;
}

int fail(const std::string &line, int code) {
    std::cerr << "planc: " << line << '\n';
    return code;
}

/// Plain `planc FILE`: analysis and plan, and one line with the result. A file without `train` is a library.
int check(Compilation &compilation) {
    if (!compilation.analyze_only())
        return compilation.exit_code();
    if (compilation.program().trains.empty()) {
        std::cout << compilation.program().file << ": no errors; nothing to train\n";
        return done;
    }
    if (!compilation.plan_only())
        return compilation.exit_code();
    const cost::CostTable &table = *compilation.plan().cost;
    std::optional<cost::Seconds> overlap;
    if (!compilation.find_step_with_overlap(overlap))
        return compilation.exit_code();
    std::cout << compilation.program().file << ": layout " << compilation.request().layout << " on "
              << cost::mesh_words(table.axes, table.mesh) << ": "
              << cost::human_seconds(overlap.value_or(table.seconds())) << " a step predicted"
              << (overlap ? " (sum of parts " + cost::human_seconds(table.seconds()) + ")" : " (sum of parts)") << ", "
              << cost::human_bytes(table.payload) << " communicated; -o PROGRAM compiles it\n";
    return done;
}

/// Of a scheduled pipeline: its stages in time, as comments, which those who read the text back skip.
std::string schedule_comment(Compilation &compilation) {
    const timeline::Program program = compilation.timeline_program();
    if (program.roles.empty())
        return {};
    const timeline::Timeline timeline = timeline::simulate(program);
    std::istringstream lines("a step as simulated: " + cost::human_seconds(timeline.makespan) + "\n\n" +
                             timeline::schedule_chart(program, timeline));
    std::string text;
    for (std::string line; std::getline(lines, line);)
        text += line.empty() ? "//\n" : "// " + line + "\n";
    return text;
}

void print(mlir::ModuleOp module) {
    std::string text; // llvm::outs() ends the program where it cannot write
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    std::cout << text << '\n';
}

/// Checks one of the output files. Returns an empty text or the error in one line.
std::string wrong_output(const std::string &option, const std::string &path, const Options &options) {
    std::error_code error;
    if (std::string reason = check_writable(path); !reason.empty())
        return reason;
    if (!std::filesystem::exists(path, error))
        return {};
    if (!std::filesystem::is_regular_file(path, error))
        return options.command == Command::compile
                   ? "cannot write '" + path + "': it is not a regular file, as a program must be"
                   : "";
    std::vector<std::string> inputs = options.lists.files;
    inputs.push_back(options.from);
    for (const std::string &input : inputs)
        if (std::filesystem::equivalent(path, input, error))
            return option + " '" + path + "' is the file that is read";
    return {};
}

/// Checks all output files before their contents are computed.
std::string wrong_outputs(const Options &options) {
    const std::vector<std::pair<std::string, std::string>> outputs{
        {"-o", options.output}, {"--certificate", options.certificate}, {"--measurements", options.measurements}};
    std::map<std::string, std::string> option_of;
    for (const auto &[option, path] : outputs) {
        if (path.empty())
            continue;
        if (std::string wrong = wrong_output(option, path, options); !wrong.empty())
            return wrong;
        const auto [other, is_new] = option_of.try_emplace(path, option);
        if (!is_new && !path.starts_with("/dev/"))
            return other->second + " and " + option + " both write '" + path + "'";
    }
    return {};
}

} // namespace

int run(const Options &options) {
    if (const std::string wrong = wrong_outputs(options); !wrong.empty())
        return fail(wrong, input_error);
    switch (options.command) {
    case Command::help:
        std::cout << help_text();
        return done;
    case Command::version:
        std::cout << version_text();
        return done;
    case Command::list_diagnostics:
        return list_diagnostics();
    case Command::format:
        return format_command(options);
    case Command::cost:
        return cost_command(options);
    case Command::explain:
        return explain_command(options);
    case Command::plan:
        return plan_command(options);
    case Command::verify:
        return verify_command(options);
    case Command::diff:
        return diff_command(options);
    case Command::simulate:
        return simulate_command(options);
    case Command::sweep:
        return sweep_command(options);
    case Command::timeline:
        return timeline_command(options);
    case Command::calibrate:
        return calibrate_command(options);
    case Command::compile:
        return compile_command(options);
    }
    return usage_error;
}

int print_or_write(const std::string &text, const Options &options) {
    if (options.output.empty()) {
        std::cout << text;
        return done;
    }
    const std::string error = write_file(options.output, text);
    return error.empty() ? done : fail(error, input_error);
}

int compile_command(const Options &options) {
    Compilation compilation(options);
    if (options.emit == Form::ast) {
        std::cout << compilation.ast_text();
        return compilation.exit_code();
    }
    if (options.emit == Form::none && options.output.empty())
        return check(compilation);
    if (!compilation.run_until(options.emit == Form::none ? Form::cpp : options.emit))
        return compilation.exit_code();
    if (options.emit == Form::schedule)
        std::cout << schedule_comment(compilation);
    if (options.emit == Form::cpp)
        std::cout << compilation.cpp();
    else if (options.emit != Form::none)
        print(compilation.module());
    if (options.output.empty())
        return done;
    const std::string error =
        compile_cpp({compilation.cpp(), options.output, compiler_of(options), options.keep_cpp, options.fast_compile},
                    compilation.installation());
    return error.empty() ? done : fail(error, input_error);
}

} // namespace planc::driver
