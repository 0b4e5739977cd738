#include "emit/emit.h"

#include "emit/functions/functions.h"
#include "emit/names/local_extents.h"
#include "emit/names/matrices.h"
#include "emit/names/text.h"
#include "emit/names/value_names.h"
#include "emit/step.h"
#include "emit/tables/tables.h"
#include "emit/tables/work.h"

#include "ir/placement.h"
#include "schedule/functions.h"

#include <cctype>
#include <set>

namespace planc::emit {

namespace {

/// The seconds of modelled kernels by class of ranks.
std::string modelled_kernels(const EmitInfo::Modelled &modelled) {
    const std::size_t classes = modelled.seconds.empty() ? 1 : modelled.seconds.front().size();
    std::vector<std::string> seconds;
    for (const std::vector<double> &kernel : modelled.seconds)
        for (const double of_class : kernel)
            seconds.push_back(number(of_class));
    std::vector<std::string> ranks;
    if (classes > 1)
        for (const int of_rank : modelled.class_of_rank)
            ranks.push_back(std::to_string(of_rank));
    std::string text;
    if (!seconds.empty())
        text += wrapped("constexpr double kernel_seconds[] = {", seconds, "};\n", 4);
    if (!ranks.empty())
        text += wrapped("constexpr int32_t class_of_rank[] = {", ranks, "};\n", 4);
    return "\n// Seconds of each kernel" + std::string(classes > 1 ? ", by class of ranks with equal blocks" : "") +
           ".\n" + text + "constexpr planrt::ModelledKernels kernels{" + std::to_string(classes) + ", " +
           (seconds.empty() ? "{}" : "kernel_seconds") + ", " + (ranks.empty() ? "{}" : "class_of_rank") + "};\n";
}

std::string heading(ir::MeshAttr mesh, const EmitInfo &info, bool with_tables) {
    std::vector<std::string> axes;
    const int ranks = ir::mesh_of(mesh).ranks();
    for (auto [axis, name] : llvm::enumerate(mesh.getNames()))
        axes.push_back(name.str() + " " + planrt::size_text(ir::mesh_of(mesh), static_cast<int>(axis)));
    return "// " + comment(info.source) + ": network " + comment(info.network) + ", layout " + comment(info.layout) +
           " on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
           (axes.empty() ? "" : " (" + comment(joined(axes, " x ")) + ")") + ".\n// Written by planc. " +
           (info.modelled ? "To be simulated: kernels take the time that is predicted for them and compute nothing."
                          : "Every rank runs this program on its blocks of the tensors.") +
           "\n\n#include <planrt/planrt.h>\n" + (info.modelled ? "#include <planrt/simulate.h>\n" : "") +
           (with_tables ? "#include <planrt/tables.h>\n" : "") +
           "\n#include <algorithm>\n#include <cmath>\n#include <limits>\n\n";
}

/// The names that follow "at::" in the text.
std::set<std::string> used_places(const std::string &text) {
    const auto in_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
    std::set<std::string> names;
    for (std::size_t at = 0; (at = text.find("at::", at)) != std::string::npos;) {
        const bool whole = at == 0 || !in_name(text[at - 1]);
        const std::size_t begin = at + 4;
        at = begin;
        while (at < text.size() && in_name(text[at]))
            ++at;
        if (whole)
            names.insert(text.substr(begin, at - begin));
    }
    return names;
}

/// Constants for the places of buffers, with comments on their contents, as far as the program uses them.
std::string offsets(const ValueNames &names, const std::set<std::string> &used) {
    std::string text = "// Where tensors lie in the arena, in bytes.\nnamespace at {\n";
    for (const NamedBuffer &buffer : names.buffers()) {
        if (!used.contains(buffer.name))
            continue;
        const std::string constant = "constexpr int64_t " + buffer.name + " = " + std::to_string(buffer.offset) + ";";
        const std::string what = "// " + comment(buffer.title + " " + describe(buffer.type));
        const bool fits = constant.size() + 1 + what.size() <= 120;
        text += fits ? constant + " " + what + "\n" : broken_lines(what + "\n" + constant + "\n");
    }
    return text + "} // namespace at\n\n";
}

/// The names of functions that are not named after a layer.
std::set<std::string> function_names(mlir::ModuleOp module) {
    std::set<std::string> names;
    for (auto function : module.getOps<mlir::func::FuncOp>())
        names.insert({function.getName().str(), function_name(function)});
    return names;
}

} // namespace

std::string emit_cpp(mlir::ModuleOp scheduled, const EmitInfo &info) {
    const ir::MeshAttr mesh = ir::mesh_attribute(scheduled);
    std::vector<std::string> axes;
    for (mlir::StringAttr name : mesh.getNames())
        axes.push_back(name.str());
    UniqueNames globals(function_names(scheduled));
    LocalExtents extents(axes, globals);
    const Step step(scheduled);
    const ValueNames names(scheduled, step);
    const WorkRows work(step, info);
    const Matrices matrices(step, info.data.fields, info.matrices);
    const Functions functions(step, info, names, matrices, work, extents, globals);
    const Tables tables(scheduled, step, info, names, matrices, work, extents, globals);
    const std::string set_up = extents.set_up() + broken_lines(functions.set_up());
    const std::string program =
        (info.modelled ? "" : "// --- what one layer computes ---\n\n" + broken_lines(functions.layers())) +
        (functions.layers_alike().empty()
             ? ""
             : "// --- what layers alike do, one after another ---\n\n" + broken_lines(functions.layers_alike())) +
        "// --- the step ---\n\n" + broken_lines(functions.steps()) + "void set_up(Context &" +
        (extents.set_up().empty() ? "" : "context") + ") {\n" + set_up + "}\n\n// --- tables for the runtime ---\n\n" +
        broken_lines(tables.text());
    return heading(mesh, info, tables.filled_at_run_time()) +
           "namespace {\n\nusing planrt::Context;\nusing planrt::Op;\nusing planrt::Type;\nusing std::int32_t;\n"
           "using std::int64_t;\n\n" +
           extents.axes_arrays() + offsets(names, used_places(program)) + matrices.constants() + extents.declaration() +
           program + (info.modelled ? modelled_kernels(*info.modelled) : "") +
           "\n} // namespace\n\nint main(int argc, char **argv) {\n    return planrt::" +
           (info.modelled ? "simulate(program, kernels, argc, argv)" : "run(program, argc, argv)") + ";\n}\n";
}

} // namespace planc::emit
