// two_roles FILE DIRECTORY TREE MPIRUN: emits the step of two roles, compiles it with the runtime of the build TREE,
// trains with it on four ranks for three epochs of one step, and compares losses and weights with plain loops.
#include "two_roles.h"

#include "driver/files/compile_cpp.h"
#include "emit/emit.h"
#include "generator/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

using namespace planc;

namespace {

constexpr int steps = 3;

std::string emitted(const char *file, const std::string &directory) {
    test::Context context;
    const auto module = test::read_module(file, context);
    if (!module)
        return "";
    emit::EmitInfo info;
    info.network = "two_roles";
    info.source = "two_roles.mlir";
    info.layout = "by hand";
    info.epochs = steps;
    info.data.name = "samples";
    info.data.format = "csv";
    info.data.path = "samples.csv";
    info.data.directory = directory;
    sema::Field x;
    x.name = "x";
    x.first_column = 0;
    x.last_column = test::width;
    info.data.fields = {x};
    return emit::emit_cpp(*module, info);
}

void write_samples(const std::string &path) {
    std::ofstream stream(path);
    stream.precision(17);
    const std::vector<double> x = test::samples();
    for (std::size_t i = 0; i < x.size(); ++i)
        stream << x[i] << (i % test::width == test::width - 1 ? "\n" : ",");
}

bool is_near(double a, double b) {
    return std::abs(a - b) <= 1e-11 * std::max(1.0, std::abs(b));
}

/// The losses of the log, which has a line {"step": 1, …, "loss": …, …} for each step.
std::vector<double> losses(const std::string &path) {
    std::vector<double> result;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);)
        if (const auto at = line.find("\"loss\": "); line.find("test") == std::string::npos && at != std::string::npos)
            result.push_back(std::stod(line.substr(at + 8)));
    return result;
}

int failed(const std::string &what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    return 1;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 5)
        return failed("usage: two_roles FILE DIRECTORY TREE MPIRUN");
    const std::string directory = argv[2];
    const std::string tree = argv[3];
    write_samples(directory + "/samples.csv");
    const driver::Installation installation{tree + "/include", tree + "/lib", ""};
    const std::string program = directory + "/program";
    if (const std::string wrong =
            driver::compile_cpp({emitted(argv[1], directory), program, "mpicxx", true}, installation);
        !wrong.empty())
        return failed(wrong);
    const std::string wrong =
        driver::run_program({argv[4], "4", program, "--log", directory + "/log", "--save",
                             directory + "/final.safetensors", "--comm-report", directory + "/communication.json"},
                            "the program failed");
    if (!wrong.empty())
        return failed(wrong);
    test::Weights weights;
    const std::vector<double> logged = losses(directory + "/log");
    if (logged.size() != steps)
        return failed("the log has " + std::to_string(logged.size()) + " losses");
    for (const double loss : logged)
        if (const double wanted = test::train(weights, test::samples()); !is_near(loss, wanted))
            return failed("a loss is " + std::to_string(loss) + " instead of " + std::to_string(wanted));
    const auto saved = test::read_safetensors(directory + "/final.safetensors");
    for (std::size_t j = 0; j < test::width; ++j)
        if (!is_near(saved.at("a.w").elements[j], weights.a[j]) || !is_near(saved.at("b.w").elements[j], weights.b[j]))
            return failed("weights differ at " + std::to_string(j));
    std::puts("losses and weights are equal");
    return 0;
}
