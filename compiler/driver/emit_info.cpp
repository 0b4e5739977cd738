#include "driver/emit_info.h"

#include "cost/collectives/step_price.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace planc::driver {

namespace {

std::string line_of(const support::SourceFiles &files, const std::string &path, int line) {
    for (support::FileId id = 0; id < files.count(); ++id)
        if (files.file(id).path == path)
            return std::string(files.line(id, line));
    return {};
}

/// The machine with only one algorithm for all-reduces, reduce-scatters and all-gathers.
cost::Machine only(cost::Machine machine, cost::Algorithm algorithm) {
    for (cost::AlgorithmTable *table :
         {&machine.algorithms.allreduce, &machine.algorithms.reduce_scatter, &machine.algorithms.allgather})
        *table = {{algorithm, 0}};
    return machine;
}

/// Members of one call share its latency.
double seconds_of(const emit::CollectiveInfo &collective, const planrt::Mesh &whole, const planrt::Role &ranks,
                  const cost::Machine &planned) {
    const planrt::Algorithm algorithm = collective.method.algorithm;
    const cost::Machine machine =
        algorithm == planrt::Algorithm::mpi ? planned : only(planned, cost::algorithm(planrt::name_of(algorithm)));
    const planrt::Mesh mesh = ranks.mesh(whole);
    cost::StepPrices prices(mesh, whole, ranks, machine);
    double latency = 0;
    double rest = 0;
    for (const auto &member : collective.members) {
        const sharding::Step step{collective.kind, collective.axes, member.from, member.to};
        const bool in_bucket = collective.members.size() > 1 && !member.from.dimensions.empty(); // else a norm
        const cost::StepPrice &price = prices.of(step, member.element_bytes, in_bucket);
        latency = std::max(latency, price.price.latency.value);
        rest += price.price.seconds().value - price.price.latency.value;
    }
    const bool in_rounds = collective.staged_rounds > 0 && collective.kind == cost::CollectiveKind::exchange;
    return (in_rounds ? collective.staged_rounds : 1) * latency + rest;
}

std::int64_t extent_of(const sema::TensorType &type, const std::string &role) {
    for (const sema::Dimension &dimension : type.dimensions)
        if (dimension.role == role)
            return dimension.extent;
    return 0;
}

/// Labels lie below the number of classes, looked-up indices below the extent of their table.
std::map<std::string, std::int64_t> bounds_of(const sema::Train &train) {
    const std::vector<sema::Operation> &operations = train.loss.operations;
    const auto operation = [&](sema::ValueId id) -> const sema::Operation & {
        return operations[static_cast<std::size_t>(id)];
    };
    std::map<std::string, std::int64_t> bounds;
    const auto bound = [&](const sema::Operation &field, std::int64_t extent) {
        if (field.kind != sema::OperationKind::input)
            return;
        const auto [place, added] = bounds.try_emplace(field.text, extent);
        place->second = std::min(place->second, extent);
    };
    for (const sema::Operation &each : operations)
        if (each.kind == sema::OperationKind::embedding)
            bound(operation(each.operands[0]), extent_of(operation(each.operands[1]).type, each.roles[0]));
    if (train.label >= 0 && train.prediction >= 0)
        bound(operation(train.label), extent_of(operation(train.prediction).type, train.class_role));
    return bounds;
}

/// The label that every use of a field ignores; not of one that is an index too.
std::map<std::string, std::int64_t> ignored_labels(const sema::Train &train) {
    const std::vector<sema::Operation> &operations = train.loss.operations;
    std::map<std::string, std::set<std::optional<std::int64_t>>> by_use;
    for (const sema::Operation &each : operations) {
        const bool looks_up = each.kind == sema::OperationKind::embedding;
        if (!looks_up && each.kind != sema::OperationKind::cross_entropy)
            continue;
        const sema::Operation &labels = operations[static_cast<std::size_t>(each.operands[looks_up ? 0 : 1])];
        if (labels.kind == sema::OperationKind::input)
            by_use[labels.text].insert(each.ignored);
    }
    std::map<std::string, std::int64_t> ignored;
    for (const auto &[field, labels] : by_use)
        if (labels.size() == 1 && *labels.begin())
            ignored[field] = **labels.begin();
    return ignored;
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
    info.matrices = train.matrices;
    info.order = train.order;
    info.fanout = train.fanout;
    if (train.batch_vertices > 0)
        info.sampled_vertices = train.loss.arguments.front().type.dimensions.front().extent;
    info.bounds = bounds_of(train);
    info.ignored = ignored_labels(train);
    info.epochs = train.epochs;
    info.steps = train.steps;
    info.seed = train.seed;
    info.keep = train.keep;
    info.patience = train.patience;
    info.source_line = [&files](const std::string &path, int line) { return line_of(files, path, line); };
    info.seconds = [&plan, &request](const emit::CollectiveInfo &collective, const planrt::Role &ranks) {
        return seconds_of(collective, plan.mesh, ranks, request.request.machine);
    };
    info.reference_seconds = request.request.machine.kernels.reference.value;
    for (const cost::LayerRow &layer : plan.cost->layers)
        for (int phase = 0; phase < cost::phases; ++phase)
            info.computations.push_back({layer.name, sharding::name(static_cast<sharding::Phase>(phase)),
                                         layer.compute[static_cast<std::size_t>(phase)].value});
    return info;
}

} // namespace planc::driver
