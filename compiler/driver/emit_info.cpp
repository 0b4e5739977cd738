#include "driver/emit_info.h"

#include "cost/step_price.h"

#include <algorithm>

namespace planc::driver {

namespace {

std::string line_of(const support::SourceFiles &files, const std::string &path, int line) {
    for (support::FileId id = 0; id < files.count(); ++id)
        if (files.file(id).path == path)
            return std::string(files.line(id, line));
    return {};
}

/// Members of one call share its latency.
double seconds_of(const emit::CollectiveInfo &collective, const planrt::Mesh &mesh, const cost::Machine &machine) {
    double latency = 0;
    double rest = 0;
    for (const auto &member : collective.members) {
        const sharding::Step step{collective.kind, collective.axes, member.from, member.to};
        const cost::StepPrice price = cost::price_step(step, member.element_bytes, mesh, machine);
        latency = std::max(latency, price.price.latency.value);
        rest += price.price.seconds().value - price.price.latency.value;
    }
    return latency + rest;
}

std::int64_t classes_of(const sema::Train &train) {
    if (train.label < 0 || train.prediction < 0)
        return 0;
    for (const sema::Dimension &dimension :
         train.loss.operations[static_cast<std::size_t>(train.prediction)].type.dimensions)
        if (dimension.role == train.class_role)
            return dimension.extent;
    return 0;
}

} // namespace

emit::EmitInfo emit_info(const sema::Program &program, const PlanRequest &request, const plan::Plan &plan,
                         const support::SourceFiles &files) {
    const sema::Train &train = program.trains.back();
    emit::EmitInfo info;
    info.network = train.network;
    info.source = program.file;
    info.layout = request.layout;
    const auto data = std::find_if(program.data.begin(), program.data.end(),
                                   [&](const sema::Data &declared) { return declared.name == train.data; });
    if (data != program.data.end())
        info.data = *data;
    info.classes = classes_of(train);
    info.epochs = train.epochs;
    info.steps = train.steps;
    info.seed = train.seed;
    info.source_line = [&files](const std::string &path, int line) { return line_of(files, path, line); };
    info.seconds = [&plan, &request](const emit::CollectiveInfo &collective) {
        return seconds_of(collective, plan.mesh, request.request.machine);
    };
    return info;
}

} // namespace planc::driver
