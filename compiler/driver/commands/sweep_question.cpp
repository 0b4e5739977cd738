#include "driver/commands/sweep_question.h"

#include "cost/reports/report.h"

namespace planc::driver {

namespace {

using report::SweepPoint;

void set_mesh(SweepPoint &point, const std::vector<std::string> &axes, const sharding::Mesh &mesh) {
    point.mesh = cost::mesh_words(axes, mesh);
    point.ranks = mesh.ranks();
}

} // namespace

SweepQuestion::SweepQuestion(Options options) : options_(std::move(options)), compilation_(options_, messages_) {}

void SweepQuestion::ask(const Options &at, SweepPoint &point) {
    options_.ranks = at.ranks;
    options_.machine_settings = at.machine_settings;
    messages_.str("");
    if (options_.profile != cost::Profile::exact)
        by_profile(point);
    else if (compilation_.plan_anew())
        by_plan(point);
    else
        point.failure = failure();
    refuse_idle_ranks(point);
    if (options_.profile == cost::Profile::exact && point.failure.empty() &&
        !compilation_.find_step_with_overlap(point.overlap))
        point.failure = failure();
}

void SweepQuestion::by_plan(SweepPoint &point) {
    // A layout that does not fit is priced with a warning elsewhere; a curve has no such point.
    point.failure = compilation_.plan().warning;
    if (!point.failure.empty())
        return;
    const cost::CostTable &table = *compilation_.plan().cost;
    set_mesh(point, table.axes, table.mesh);
    strategies_ = &compilation_.plan().layers;
    mesh_ = &table.mesh;
    point.step = table.seconds();
    point.compute = table.compute;
    point.communication = table.communication;
    point.payload = table.payload;
    point.memory = table.memory.total();
    for (const cost::LayerRow &layer : table.layers)
        point.layers.push_back({layer.name, layer.compute_seconds(), layer.seconds() - layer.compute_seconds()});
    for (const cost::CollectiveRow &row : table.reshards)
        point.layers[row.layer.index()].communication += row.price.seconds();
    cost::Seconds buckets{};
    for (const cost::BucketRow &bucket : table.buckets)
        buckets += bucket.price.seconds();
    if (buckets.value > 0)
        point.layers.push_back({"buckets", {}, buckets});
}

void SweepQuestion::by_profile(SweepPoint &point) {
    if (!compilation_.request_anew()) {
        point.failure = failure();
        return;
    }
    const plan::Request &request = compilation_.request().request;
    profile_ = plan::make_plan(options_.profile, request);
    if (!profile_.failure.empty()) {
        point.failure = profile_.failure;
        return;
    }
    const cost::ProfileTable &table = profile_.table;
    set_mesh(point, table.axes, table.mesh);
    strategies_ = &profile_.layers;
    mesh_ = &table.mesh;
    point.step = table.step;
    point.compute = table.compute;
    point.communication = table.communication;
    for (const cost::ProfileLayer &layer : table.layers)
        point.layers.push_back({request.graph.layers[layer.layer].name, layer.compute(), layer.communication()});
}

/// A split of the batch into more parts than samples leaves ranks without work, so it is not a point of a curve.
void SweepQuestion::refuse_idle_ranks(SweepPoint &point) const {
    if (!point.failure.empty())
        return;
    const std::string &batch = compilation_.request().request.batch;
    for (const sharding::LayerStrategy &layer : *strategies_) {
        std::int64_t parts = 1;
        for (std::size_t axis = 0; axis < mesh_->sizes.size(); ++axis)
            if (layer.loop_of_axis[axis] == batch)
                parts *= mesh_->sizes[axis];
        if (parts <= point.batch)
            continue;
        point.failure =
            "the layout splits " + std::to_string(point.batch) + " samples over " + std::to_string(parts) + " ranks";
        return;
    }
}

/// The error among the messages, without the prefix that all of them have.
std::string SweepQuestion::failure() const {
    std::istringstream lines(messages_.str());
    std::string found;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(": note: ") != std::string::npos || line.find(": warning: ") != std::string::npos)
            continue;
        found = line;
        break;
    }
    for (const std::string &prefix :
         {std::string("planc: "),
          compilation_.has_request() ? "layout '" + compilation_.request().layout + "': " : std::string()})
        if (found.starts_with(prefix))
            found.erase(0, prefix.size());
    return found;
}

} // namespace planc::driver
