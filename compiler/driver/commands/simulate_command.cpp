// planc simulate: runs the emitted program's communication on SimGrid and compares it with the predictions.

#include "driver/commands/commands.h"
#include "driver/compilation.h"
#include "driver/files/compile_cpp.h"
#include "driver/files/read_file.h"
#include "driver/files/workshop.h"
#include "driver/files/write_file.h"

#include "cost/reports/report.h"
#include "smpi/platform.h"
#include "smpi/results.h"
#include "timeline/simulate.h"

#include <algorithm>
#include <iostream>

namespace planc::driver {

namespace {

int fail(const std::string &line) {
    std::cerr << "planc: " << line << '\n';
    return input_error;
}

/// Why SimGrid cannot represent the machine.
std::string unsupported(const PlanRequest &request) {
    for (const sema::Link &level : request.machine.declared.levels)
        if (level.topology == "mesh")
            return "SimGrid has no meshes";
    return smpi::unsupported(request.request.machine, request.request.ranks);
}

/// Compiles and runs the program. Returns an empty text if `json` holds its results, else the error.
std::string run_simulation(const Options &options, const Compilation &compilation, std::string &json) {
    const Workshop workshop("simulate");
    if (!workshop.exists())
        return "cannot make a directory for temporary files";
    const cost::Machine &machine = compilation.request().request.machine;
    const int ranks = compilation.request().request.ranks;
    const std::string program = workshop.file("program");
    const std::string platform = workshop.file("platform.xml");
    const std::string hosts = workshop.file("hosts");
    const std::string results = workshop.file("results.json");
    for (std::string error :
         {compile_to_simulate({compilation.cpp(), program, compiler_of(options), false}, compilation.installation()),
          write_file(platform, smpi::platform(machine, ranks)), write_file(hosts, smpi::host_file(ranks))})
        if (!error.empty())
            return error;
    std::vector<std::string> command = words(options.smpirun);
    if (command.empty())
        return "--smpirun names no command";
    const std::vector<std::string> settings = smpi::smpirun_options();
    command.insert(command.end(), settings.begin(), settings.end());
    for (const std::string &word : {std::string("-np"), std::to_string(ranks), std::string("-platform"), platform,
                                    std::string("-hostfile"), hosts, program, results, std::to_string(options.steps)})
        command.push_back(word);
    if (!options.data.empty())
        command.push_back(options.data);
    if (std::string error =
            run_program(command, "the simulation failed", "is SimGrid installed (package libsimgrid-dev)?");
        !error.empty())
        return error;
    return read_file(results, json);
}

} // namespace

int simulate_command(const Options &options) {
    Compilation compilation(options);
    const std::optional<timeline::Program> program = compilation.emit_to_simulate();
    if (!program)
        return compilation.exit_code();
    const PlanRequest &request = compilation.request();
    const cost::Machine &machine = request.request.machine;
    if (const std::string reason = unsupported(request); !reason.empty())
        return fail("machine '" + machine.name + "': " + reason);
    std::string json;
    if (const std::string error = run_simulation(options, compilation, json); !error.empty())
        return fail(error);
    const auto read = smpi::read_results(json);
    if (const auto *wrong = std::get_if<std::string>(&read))
        return fail("internal error: the simulation's results cannot be read (" + *wrong + ")");
    const cost::CostTable &table = *compilation.plan().cost;
    const smpi::ReportOptions report{compilation.network_name() + " on " + std::to_string(table.mesh.ranks()) +
                                         (table.mesh.ranks() == 1 ? " rank (" : " ranks (") +
                                         cost::mesh_words(table.axes, table.mesh) + ") of machine " + machine.name +
                                         ", simulated on " + smpi::platform_words(machine),
                                     timeline::simulate(*program).makespan};
    const auto &results = std::get<smpi::Results>(read);
    std::cout << (options.format == ReportFormat::json ? smpi::json_report(results, report)
                                                       : smpi::text_report(results, report));
    return done;
}

} // namespace planc::driver
