// planc timeline.

#include "driver/commands/commands.h"
#include "driver/compilation.h"
#include "driver/files/read_file.h"

#include "cost/reports/report.h"
#include "timeline/matrix_charts.h"
#include "timeline/read_trace.h"
#include "timeline/report.h"

#include <iostream>
#include <optional>

namespace planc::driver {

namespace {

int fail(const std::string &line) {
    std::cerr << "planc: " << line << '\n';
    return input_error;
}

/// The measured trace. Returns an empty text or the error.
std::string read_measured(const std::string &path, std::optional<timeline::Trace> &measured) {
    std::string text;
    if (std::string error = read_file(path, text); !error.empty())
        return error;
    std::variant<timeline::Trace, std::string> read = timeline::read_trace(text);
    if (const auto *wrong = std::get_if<std::string>(&read))
        return "trace '" + path + "': " + *wrong;
    measured = std::move(std::get<timeline::Trace>(read));
    return {};
}

timeline::ReportOptions report_options(Compilation &compilation, const timeline::Program &program) {
    const cost::CostTable &table = *compilation.plan().cost;
    timeline::StepIdentity of{compilation.network_name(), compilation.request().layout, {}, program.micro_batches};
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
        of.mesh.emplace_back(table.axes[axis], planrt::size_text(table.mesh, static_cast<int>(axis)));
    return {std::move(of),
            compilation.network_name() + " on " + std::to_string(table.mesh.ranks()) +
                (table.mesh.ranks() == 1 ? " rank (" : " ranks (") + cost::mesh_words(table.axes, table.mesh) +
                ") of machine " + compilation.request().request.machine.name,
            timeline::simulate(timeline::without_overlap(program)).makespan, table.seconds()};
}

timeline::Patterns patterns(const sema::Program &program) {
    timeline::Patterns patterns;
    for (const sema::Matrix &matrix : program.trains.back().matrices)
        patterns[matrix.name] = matrix.pattern.get();
    return patterns;
}

} // namespace

int timeline_command(const Options &options) {
    std::optional<timeline::Trace> measured;
    if (!options.trace.empty())
        if (const std::string error = read_measured(options.trace, measured); !error.empty())
            return fail(error);
    Compilation compilation(options);
    if (!compilation.run_until(Form::schedule))
        return compilation.exit_code();
    const timeline::Program program = compilation.timeline_program();
    const timeline::Timeline timeline = timeline::simulate(program);
    const timeline::ReportOptions report = report_options(compilation, program);
    switch (options.timeline_format) {
    case TimelineFormat::text:
        return print_or_write(timeline::text_report(program, timeline, report), options);
    case TimelineFormat::svg:
        return print_or_write(timeline::svg_report(program, timeline, report), options);
    case TimelineFormat::chrome:
        return print_or_write(timeline::chrome_trace(program, timeline, report), options);
    case TimelineFormat::html:
        break;
    }
    if (measured)
        if (const std::string other = difference(predicted_trace(program, timeline, report), *measured); !other.empty())
            return fail("trace '" + options.trace + "': " + other);
    const std::vector<report::MatrixChart> matrices =
        timeline::matrix_charts(compilation.module(), patterns(compilation.program()));
    return print_or_write(timeline::html_report(program, timeline, report, measured ? &*measured : nullptr, matrices),
                          options);
}

} // namespace planc::driver
