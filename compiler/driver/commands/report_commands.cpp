// planc cost, planc explain and planc plan.

#include "driver/commands/certify.h"
#include "driver/commands/commands.h"
#include "driver/commands/save_layout.h"
#include "driver/commands/summary.h"
#include "driver/files/write_file.h"
#include "driver/pipeline.h"

#include "cost/reports/report.h"
#include "plan/explain.h"
#include "plan/profile_report.h"

#include <algorithm>
#include <iostream>
#include <optional>

namespace planc::driver {

namespace {

int summary(const Options &options) {
    Pipeline &pipeline = lasting_pipeline(options);
    if (!pipeline.analyze_only())
        return pipeline.exit_code();
    const sema::Program &program = pipeline.program();
    if (program.trains.empty() && program.networks.empty()) {
        std::cerr << "planc: '" << options.file << "' has no network to summarize\n";
        return input_error;
    }
    const NetworkSummary summary =
        program.trains.empty() ? summarize(program.networks.back()) : summarize_trained(program.trains.back());
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
std::optional<plan::ProfilePlan> plan_by_profile(Pipeline &pipeline, const Options &options) {
    if (!pipeline.request_only())
        return std::nullopt;
    plan::ProfilePlan plan = plan::make_plan(options.profile, pipeline.request().request);
    if (plan.failure.empty())
        return plan;
    std::cerr << "planc: layout '" << pipeline.request().layout << "': " << plan.failure << '\n';
    return std::nullopt;
}

int cost_by_profile(const Options &options) {
    Pipeline &pipeline = lasting_pipeline(options);
    const std::optional<plan::ProfilePlan> plan = plan_by_profile(pipeline, options);
    if (!plan)
        return pipeline.exit_code() == done ? input_error : pipeline.exit_code();
    const plan::Request &request = pipeline.request().request;
    switch (options.format) {
    case ReportFormat::table:
        std::cout << plan::text_report(request, *plan, pipeline.network_name(), options.formulas);
        break;
    case ReportFormat::json:
        std::cout << plan::json_report(request, *plan, pipeline.network_name());
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
int certify(Pipeline &pipeline, const Options &options) {
    if (options.certificate.empty())
        return done;
    const std::string error = write_file(options.certificate, certificate_text(pipeline, options));
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
    Pipeline &pipeline = lasting_pipeline(options);
    const std::optional<plan::ProfilePlan> plan = plan_by_profile(pipeline, options);
    if (!plan)
        return pipeline.exit_code() == done ? input_error : pipeline.exit_code();
    std::cout << plan::explain(pipeline.request().request, *plan);
    return done;
}

} // namespace

int cost_command(const Options &options) {
    if (options.summary)
        return summary(options);
    if (options.profile != cost::Profile::exact)
        return cost_by_profile(options);
    Pipeline &pipeline = lasting_pipeline(options);
    if (!pipeline.run_until(Stage::schedule))
        return pipeline.exit_code();
    const cost::CostTable &table = *pipeline.plan().cost;
    const cost::Machine &machine = pipeline.request().request.machine;
    const cost::ReportOptions report{pipeline.network_name(), options.formulas, pipeline.arena_bytes(),
                                     words(pipeline.savings()), pipeline.overlap()};
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
    Pipeline &pipeline = lasting_pipeline(options);
    if (!pipeline.plan_only())
        return pipeline.exit_code();
    const plan::Request &request = pipeline.request().request;
    if (const int code = certify(pipeline, options); code != done)
        return code;
    if (options.why_not.empty()) {
        std::cout << plan::explain(request, pipeline.plan()) << how_to_check(options);
        return done;
    }
    const plan::WhyNotAnswer answer = plan::why_not(request, pipeline.plan(), options.why_not);
    if (!answer.understood) {
        std::cerr << "planc: --why-not: " << answer.text;
        return usage_error;
    }
    std::cout << answer.text;
    return done;
}

int plan_command(const Options &options) {
    Pipeline &pipeline = lasting_pipeline(options);
    if (!pipeline.plan_only())
        return pipeline.exit_code();
    if (const int code = certify(pipeline, options); code != done)
        return code;
    return print_or_write(
        layout_text(pipeline.program(), pipeline.request(), pipeline.plan(), pipeline.savings(), options), options);
}

} // namespace planc::driver
