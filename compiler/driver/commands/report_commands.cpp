// planc cost, planc explain and planc plan.

#include "driver/commands/certify.h"
#include "driver/commands/commands.h"
#include "driver/commands/save_layout.h"
#include "driver/commands/summary.h"
#include "driver/compilation.h"
#include "driver/files/write_file.h"
#include "driver/planning/schedule_file.h"

#include "cost/reports/report.h"
#include "plan/explanations/explain.h"
#include "plan/profiles/profile_report.h"

#include <algorithm>
#include <iostream>
#include <optional>

namespace planc::driver {

namespace {

int summary(const Options &options) {
    Compilation compilation(options);
    if (!compilation.analyze_only())
        return compilation.exit_code();
    const sema::Program &program = compilation.program();
    if (program.trains.empty() && program.networks.empty()) {
        std::cerr << "planc: '" << options.file << "' has no network to summarize\n";
        return input_error;
    }
    const NetworkSummary summary =
        program.trains.empty() ? summarize(program.networks.back()) : summarize_trained(program, program.trains.back());
    switch (options.format) {
    case ReportFormat::table:
        std::cout << text_report(summary);
        break;
    case ReportFormat::json:
        std::cout << json_report(summary);
        break;
    case ReportFormat::csv:
        std::cout << csv_report(summary);
        break;
    case ReportFormat::html: // no usage of `planc cost`
        break;
    }
    return done;
}

/// The plan of a profile; none: an error was printed.
std::optional<plan::ProfilePlan> plan_by_profile(Compilation &compilation, const Options &options) {
    if (!compilation.request_only())
        return std::nullopt;
    plan::ProfilePlan plan;
    if (const auto &pipeline = compilation.request().request.pipeline; pipeline && pipeline->wanted)
        plan.failure = "the cost models of --profile have no pipelines";
    else
        plan = plan::make_plan(options.profile, compilation.request().request);
    if (plan.failure.empty())
        return plan;
    std::cerr << "planc: layout '" << compilation.request().layout << "': " << plan.failure << '\n';
    return std::nullopt;
}

int cost_by_profile(const Options &options) {
    Compilation compilation(options);
    const std::optional<plan::ProfilePlan> plan = plan_by_profile(compilation, options);
    if (!plan)
        return compilation.exit_code() == done ? input_error : compilation.exit_code();
    const plan::Request &request = compilation.request().request;
    switch (options.format) {
    case ReportFormat::table:
        std::cout << plan::text_report(request, *plan, compilation.network_name(), options.formulas);
        break;
    case ReportFormat::json:
        std::cout << plan::json_report(request, *plan, compilation.network_name());
        break;
    case ReportFormat::csv:
        std::cout << plan::csv_report(request, *plan);
        break;
    case ReportFormat::html: // no usage of `planc cost`
        break;
    }
    return done;
}

/// Writes the certificate, if one is wanted.
int certify(Compilation &compilation, const Options &options) {
    if (options.certificate.empty())
        return done;
    const std::string error = write_file(options.certificate, certificate_text(compilation, options));
    if (!error.empty())
        std::cerr << "planc: " << error << '\n';
    return error.empty() ? done : input_error;
}

std::string how_to_check(const Options &options) {
    if (options.certificate.empty())
        return "\nThe bound is proved by --certificate FILE; `planc verify FILE " + options.file + "` checks it.\n";
    return "\nThe bound is proved by '" + options.certificate + "'; `planc verify " + options.certificate + " " +
           options.file + "` checks it.\n";
}

int explain_by_profile(const Options &options) {
    Compilation compilation(options);
    const std::optional<plan::ProfilePlan> plan = plan_by_profile(compilation, options);
    if (!plan)
        return compilation.exit_code() == done ? input_error : compilation.exit_code();
    std::cout << plan::explain(compilation.request().request, *plan);
    return done;
}

} // namespace

int cost_command(const Options &options) {
    if (options.summary)
        return summary(options);
    if (options.profile != cost::Profile::exact)
        return cost_by_profile(options);
    Compilation compilation(options);
    if (!compilation.run_until(Form::schedule))
        return compilation.exit_code();
    const cost::CostTable &table = *compilation.plan().cost;
    const cost::Machine &machine = compilation.request().request.machine;
    const cost::ReportOptions report{compilation.network_name(), options.formulas,
                                     compilation.arena_bytes(),  words(compilation.savings()),
                                     compilation.overlap(),      compilation.memory().matrices};
    switch (options.format) {
    case ReportFormat::table:
        std::cout << cost::text_report(table, machine, report);
        break;
    case ReportFormat::json:
        std::cout << cost::json_report(table, machine, report);
        break;
    case ReportFormat::csv:
        std::cout << cost::csv_report(table);
        break;
    case ReportFormat::html: // no usage of `planc cost`
        break;
    }
    return done;
}

int explain_command(const Options &options) {
    if (options.profile != cost::Profile::exact)
        return explain_by_profile(options);
    Compilation compilation(options);
    if (!compilation.plan_only())
        return compilation.exit_code();
    const plan::Request &request = compilation.request().request;
    if (const int code = certify(compilation, options); code != done)
        return code;
    if (options.why_not.empty()) {
        std::cout << plan::explain(request, compilation.plan()) << how_to_check(options);
        return done;
    }
    const plan::WhyNotAnswer answer = plan::why_not(request, compilation.plan(), options.why_not);
    if (!answer.understood) {
        std::cerr << "planc: --why-not: " << answer.text;
        return usage_error;
    }
    std::cout << answer.text;
    return done;
}

int plan_command(const Options &options) {
    Compilation compilation(options);
    if (!compilation.plan_only())
        return compilation.exit_code();
    if (const int code = certify(compilation, options); code != done)
        return code;
    if (!options.save_schedule.empty())
        if (const std::string error = save_schedule(compilation.plan(), compilation.savings().microbatches, options);
            !error.empty()) {
            std::cerr << "planc: " << error << '\n';
            return input_error;
        }
    return print_or_write(
        layout_text(compilation.program(), compilation.request(), compilation.plan(), compilation.savings(), options),
        options);
}

} // namespace planc::driver
