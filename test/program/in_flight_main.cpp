// in_flight DIRECTORY TREE MPIRUN: one network, with one, two and three of its micro-batches in flight, emitted,
// compiled with the runtime of the build TREE and run on four ranks. A gather by messages is started in the forward
// pass and waited for in the backward pass, so that several slots have one under way. The losses are those of one
// micro-batch at a time.
#include "generator/step.h"

#include "driver/files/compile_cpp.h"
#include "emit/emit.h"
#include "ir/entry_functions.h"
#include "plan/plan.h"
#include "schedule/schedule.h"
#include "spmd/materialize.h"

#include <cmath>
#include <cstdio>
#include <fstream>

using namespace planc;

namespace {

constexpr const char *text = R"(
dim batch = 20
dim n = 60
layer scale(x: [.., n]) -> [.., n] {
    param w: [n] = uniform(-1, 1)
    return x * w
}
network net(x: f64[batch, n]) -> f64[batch, n] {
    h = scale(x)
    p = scale(h)
    return p
}
data d = synthetic(seed = 1, samples = 60)
mesh grid = [rows: 4]
layout l on grid {
    batch -> rows
    p { batch -> none }
    microbatches = 5
}
train net on d {
    loss = mean_square_error(net(x), x)
    optimizer = sgd(rate = 0.1)
    epochs = 2
    layout = l
}
)";

planrt::Method by_ring(const sharding::Step &step) {
    const bool has_ring = step.kind == planrt::CollectiveKind::all_gather ||
                          step.kind == planrt::CollectiveKind::all_reduce ||
                          step.kind == planrt::CollectiveKind::reduce_scatter;
    return has_ring ? planrt::Method{planrt::Algorithm::ring, {4}} : planrt::Method{};
}

std::string emitted(int slots) {
    test::Step step(text);
    const test::Module module = step.derive(step.savings_of("l"));
    ir::set_slots(*module, slots);
    const plan::Request request = step.request(*module, "l");
    const plan::Plan plan = plan::make_plan(request);
    driver::set_plan(*module, request.graph, plan);
    if (failed(spmd::materialize(*module, [](const auto &, const auto &, auto, const auto &,
                                             const sharding::Step &each) { return by_ring(each); })) ||
        failed(schedule::run(*module)))
        return "";
    const auto arena = static_cast<double>((*module)->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes").getInt());
    if (const double predicted = plan.cost->memory.total().value; arena > predicted) {
        std::fprintf(stderr, "%d in flight: the arena has %.0f bytes, and %.0f are predicted\n", slots, arena,
                     predicted);
        return "";
    }
    emit::EmitInfo info;
    info.network = "in_flight";
    info.source = "in_flight.plan";
    info.layout = "l";
    info.data = step.program().data.front();
    info.epochs = 2;
    return emit::emit_cpp(*module, info);
}

std::vector<double> losses(const std::string &path) {
    std::vector<double> result;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);)
        if (const auto at = line.find("\"loss\": "); at != std::string::npos)
            result.push_back(std::stod(line.substr(at + 8)));
    return result;
}

int failed_with(const std::string &what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4)
        return failed_with("usage: in_flight DIRECTORY TREE MPIRUN");
    const std::string tree = argv[2];
    const driver::Installation installation{tree + "/include", tree + "/lib", ""};
    std::vector<double> wanted;
    for (int slots = 1; slots <= 3; ++slots) {
        const std::string program = std::string(argv[1]) + "/slots_" + std::to_string(slots);
        std::string wrong = driver::compile_cpp({emitted(slots), program, "mpicxx", true}, installation);
        if (wrong.empty())
            wrong = driver::run_program(
                {argv[3], "4", program, "--quiet", "--log", program + ".log", "--comm-report", program + ".json"},
                "the program failed");
        if (!wrong.empty())
            return failed_with(wrong);
        const std::vector<double> logged = losses(program + ".log");
        if (slots == 1)
            wanted = logged;
        if (logged.size() != 6 || wanted.size() != 6)
            return failed_with("the log has " + std::to_string(logged.size()) + " losses");
        for (std::size_t step = 0; step < wanted.size(); ++step)
            if (std::abs(logged[step] - wanted[step]) > 1e-12 * std::abs(wanted[step]))
                return failed_with(std::to_string(slots) + " in flight: a loss is " + std::to_string(logged[step]) +
                                   " instead of " + std::to_string(wanted[step]));
    }
    std::puts("losses are equal");
    return 0;
}
