#include "sema/analyze.h"

#include "sema/check_bodies.h"
#include "sema/elaborate.h"
#include "sema/layouts.h"
#include "sema/places.h"
#include "sema/training.h"

namespace planc::sema {
namespace {

/// The declarations of a kind that the root file sees: its own, in order, then those of its imports.
template <class Node>
std::vector<const Node *> visible(const Declarations &declarations, ByName<Node> UnitNames::*table) {
    std::vector<const Node *> nodes = declarations.in_order<Node>(0);
    for (const int import : declarations.units.front().imports)
        for (const Node *node : declarations.in_order<Node>(import))
            if (declarations.find(table, node->name.text, 0) == node)
                nodes.push_back(node);
    return nodes;
}

/// The whole analysis in order; each line may rest on those above it.
void run(Analysis &analysis) {
    const Declarations &declarations = analysis.declarations;
    Program &program = analysis.program;
    program.file = declarations.units.front().path;
    analysis.dimensions.check_all();
    check_bodies(analysis);
    for (const auto *machine : visible(declarations, &UnitNames::machines))
        program.machines.push_back(analyze_machine(*machine, analysis));
    for (const auto *mesh : visible(declarations, &UnitNames::meshes))
        program.meshes.push_back(analyze_mesh(*mesh, analysis));
    for (const auto *callable : declarations.in_order<syntax::CallableDeclaration>(0))
        if (callable->kind == syntax::CallableDeclaration::Kind::network)
            Elaborator(analysis, program.networks.emplace_back()).elaborate(*callable);
    for (const auto *data : visible(declarations, &UnitNames::data))
        program.data.push_back(analyze_data(*data, analysis));
    for (const auto *train : declarations.in_order<syntax::TrainDeclaration>(0))
        analyze_train(*train, analysis);
    for (const auto *layout : visible(declarations, &UnitNames::layouts))
        analyze_layout(*layout, declarations.unit_of(layout->where) == 0, analysis);
    analysis.context.fail_if_not_lowered();
}

} // namespace

std::optional<Program> analyze(support::FileId root, support::SourceFiles &files, support::Diagnostics &diagnostics,
                               const Options &options) {
    Context context(files, diagnostics, options);
    try {
        context.root = root;
        Analysis analysis(context, load_units(root, context));
        run(analysis);
        return std::move(analysis.program);
    } catch (const Failure &) {
        return std::nullopt;
    }
}

std::optional<Program> analyze(const std::string &path, support::SourceFiles &files, support::Diagnostics &diagnostics,
                               const Options &options) {
    Context context(files, diagnostics, options);
    try {
        return analyze(read_file(path, {}, context), files, diagnostics, options);
    } catch (const Failure &) {
        return std::nullopt;
    }
}

} // namespace planc::sema
