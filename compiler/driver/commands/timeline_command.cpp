// planc timeline.

#include "driver/commands/commands.h"
#include "driver/compilation.h"

#include "cost/reports/report.h"
#include "timeline/report.h"

#include <iostream>

namespace planc::driver {

int timeline_command(const Options &options) {
    Compilation compilation(options);
    if (!compilation.run_until(Form::schedule))
        return compilation.exit_code();
    const cost::CostTable &table = *compilation.plan().cost;
    const timeline::Program program = compilation.timeline_program();
    const timeline::Timeline timeline = timeline::simulate(program);
    const timeline::ReportOptions report{
        compilation.network_name() + " on " + std::to_string(table.mesh.ranks()) +
            (table.mesh.ranks() == 1 ? " rank (" : " ranks (") + cost::mesh_words(table.axes, table.mesh) +
            ") of machine " + compilation.request().request.machine.name,
        timeline::simulate(timeline::without_overlap(program)).makespan, table.seconds()};
    switch (options.timeline_format) {
    case TimelineFormat::text:
        std::cout << timeline::text_report(program, timeline, report);
        break;
    case TimelineFormat::svg:
        std::cout << timeline::svg_report(program, timeline, report);
        break;
    case TimelineFormat::chrome:
        std::cout << timeline::chrome_trace(program, timeline, report);
        break;
    }
    return done;
}

} // namespace planc::driver
