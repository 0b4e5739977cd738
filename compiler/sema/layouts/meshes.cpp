#include "sema/layouts/places.h"
#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(duplicate_axis, error, "a mesh has two axes '{0}'");     // H1
PLANC_DIAGNOSTIC(mesh_too_large, error, "a mesh of more than {0} ranks"); // H4
PLANC_DIAGNOSTIC(unknown_machine, error, "unknown machine '{0}'");        // H1

namespace {

constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();

/// A number, or a list with one for each position along the axis of a pipeline (H5).
void read_size(const syntax::Expression &size, MeshAxis &axis, Analysis &analysis) {
    const Context &context = analysis.context;
    axis.where = size.where;
    const Value value = Elaborator(analysis, analysis.declarations.unit_of(size.where)).evaluate(size);
    const std::string what = "the size of axis '" + axis.name + "'";
    const auto *list = value.get<ListValue>();
    if (list == nullptr) {
        axis.size = expect_integer_in(context, value, size.where, what, 1, most_ranks);
        return;
    }
    for (const Value &each : **list)
        axis.sizes.push_back(expect_integer_in(context, each, size.where, what, 1, most_ranks));
    if (axis.sizes.empty())
        fail_wrong_type(context, size.where, what, "a whole number or a list of at least one", value);
}

} // namespace

std::vector<MeshAxis> analyze_axes(const std::vector<syntax::MeshAxis> &axes, SourceRange where, Analysis &analysis) {
    const Context &context = analysis.context;
    std::vector<MeshAxis> result;
    std::int64_t ranks = 1;
    for (const syntax::MeshAxis &axis : axes) {
        for (std::size_t i = 0; i < result.size(); ++i)
            if (result[i].name == axis.name.text)
                context.fail(duplicate_axis, axis.name.where, {axis.name.text},
                             {{axes[i].name.where, "the first one is here"}});
        MeshAxis read{axis.name.text, {}, {}, axis.name.where}; // its size may be open (H2)
        if (axis.size && context.attempt([&] { read_size(*axis.size, read, analysis); })) {
            const std::int64_t largest = read.size ? *read.size : *std::ranges::max_element(read.sizes);
            if (__builtin_mul_overflow(ranks, largest, &ranks) || ranks > most_ranks)
                context.fail(mesh_too_large, where, {std::to_string(most_ranks)});
        }
        result.push_back(std::move(read));
    }
    return result;
}

Mesh analyze_mesh(const syntax::MeshDeclaration &declaration, Analysis &analysis) {
    Mesh mesh;
    mesh.name = declaration.name.text;
    mesh.automatic = declaration.automatic;
    mesh.where = declaration.name.where;
    if (!declaration.automatic) // H3
        mesh.axes = analyze_axes(declaration.axes, declaration.name.where, analysis);
    if (declaration.machine) {
        const syntax::Name &machine = *declaration.machine;
        const int unit = analysis.declarations.unit_of(declaration.where);
        if (!analysis.declarations.find(&UnitNames::machines, machine.text, unit))
            analysis.fail_unknown(unknown_machine, machine, &UnitNames::machines, unit);
        mesh.machine = machine.text;
    }
    return mesh;
}

} // namespace planc::sema
