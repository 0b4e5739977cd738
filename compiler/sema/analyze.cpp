#include "sema/analyze.h"

#include "sema/layouts/layouts.h"
#include "sema/layouts/places.h"
#include "sema/names/check_bodies.h"
#include "sema/networks/elaborate.h"
#include "sema/training/check_data_files.h"
#include "sema/training/read_matrices.h"
#include "sema/training/training.h"

namespace planc::sema {
namespace {

/// The declarations of a kind that file `unit` sees: its own, in order, then those of its imports.
template <class Node>
std::vector<const Node *> seen_by(int unit, const Declarations &declarations, ByName<Node> UnitNames::*table) {
    std::vector<const Node *> nodes = declarations.in_order<Node>(unit);
    for (const int import : declarations.units[static_cast<std::size_t>(unit)].imports)
        for (const Node *node : declarations.in_order<Node>(import))
            if (declarations.find(table, node->name.text, unit) == node)
                nodes.push_back(node);
    return nodes;
}

/// The declarations of a kind that the root file sees.
template <class Node>
std::vector<const Node *> visible(const Declarations &declarations, ByName<Node> UnitNames::*table) {
    return seen_by(0, declarations, table);
}

/// Declares the machines and meshes that the file of layouts sees; does nothing if there is no such file.
void declare_for_layouts(int unit, Analysis &analysis) {
    if (unit < 0)
        return;
    for (const auto *machine : seen_by(unit, analysis.declarations, &UnitNames::machines))
        analysis.program.machines.push_back(analyze_machine(*machine, analysis));
    for (const auto *mesh : seen_by(unit, analysis.declarations, &UnitNames::meshes))
        analysis.context.attempt([&] { analysis.program.meshes.push_back(analyze_mesh(*mesh, analysis)); });
}

/// P13: analyzes the layouts of that file and checks them against the networks of the root file.
void analyze_layout_file(int unit, Analysis &analysis) {
    if (unit < 0)
        return;
    for (const auto *layout : analysis.declarations.in_order<syntax::LayoutDeclaration>(unit))
        analyze_layout(*layout, true, analysis);
    analysis.program.layouts_of_file = analysis.program.layouts.size();
}

/// If a network fails, the part that could be elaborated is still added to the program, so that layouts can be checked
/// against it.
void elaborate(const syntax::CallableDeclaration &network, Analysis &analysis) {
    const std::int64_t before = analysis.context.failures();
    Network &place = analysis.program.networks.emplace_back();
    analysis.context.attempt([&] {
        if (analysis.failed_callables.contains(&network))
            analysis.context.give_up();
        Elaborator(analysis, place).elaborate(network);
    });
    if (analysis.context.failures() == before)
        return;
    analysis.networks_complete = false;
    analysis.failed_callables.insert(&network); // a loss that calls it would fail for the same reason
}

/// The whole analysis, in order; each line may use the results of those above it. A failure is reported once, and
/// everything that depends on it gives up silently (Context::attempt).
void run(Analysis &analysis, int layouts) {
    const Declarations &declarations = analysis.declarations;
    Program &program = analysis.program;
    program.file = declarations.units.front().path;
    if (!declarations.units.front().file->broken.empty()) // one of them may be a network
        analysis.failed_layers.emplace_back("*");
    analysis.dimensions.check_all();
    check_bodies(analysis);
    declare_for_layouts(layouts, analysis);
    for (const auto *machine : visible(declarations, &UnitNames::machines))
        program.machines.push_back(analyze_machine(*machine, analysis));
    for (const auto *mesh : visible(declarations, &UnitNames::meshes))
        analysis.context.attempt([&] { program.meshes.push_back(analyze_mesh(*mesh, analysis)); });
    for (const auto *callable : declarations.in_order<syntax::CallableDeclaration>(0))
        if (callable->kind == syntax::CallableDeclaration::Kind::network)
            elaborate(*callable, analysis);
    for (const auto *data : visible(declarations, &UnitNames::data))
        program.data.push_back(analyze_data(*data, analysis));
    for (const auto *train : declarations.in_order<syntax::TrainDeclaration>(0))
        analyze_train(*train, analysis);
    analyze_layout_file(layouts, analysis);
    for (const auto *layout : visible(declarations, &UnitNames::layouts))
        analyze_layout(*layout, declarations.unit_of(layout->where) == 0, analysis);
    if (analysis.context.diagnostics.failed())
        return;
    analysis.context.fail_if_not_lowered();
    check_data_files(analysis);
    read_matrices(analysis);
}

} // namespace

Outcome analyze(support::FileId root, support::SourceFiles &files, support::Diagnostics &diagnostics,
                const Options &options) {
    Context context(files, diagnostics, options);
    context.root = root;
    LoadedUnits loaded = load_units(root, context);
    Analysis analysis(context, std::move(loaded.units));
    try {
        context.attempt([&] { run(analysis, loaded.layouts); });
    } catch (const Stopped &) { // a limit, which was reported
    }
    Outcome outcome;
    outcome.symbols = collect_symbols(analysis);
    if (!diagnostics.failed())
        outcome.program = std::move(analysis.program);
    return outcome;
}

Outcome analyze(const std::string &path, support::SourceFiles &files, support::Diagnostics &diagnostics,
                const Options &options) {
    const Context context(files, diagnostics, options);
    std::optional<support::FileId> root;
    context.attempt([&] { root = read_file(path, {}, context); });
    return root ? analyze(*root, files, diagnostics, options) : Outcome{};
}

} // namespace planc::sema
