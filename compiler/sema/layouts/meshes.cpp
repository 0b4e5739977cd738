#include "sema/layouts/places.h"
#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(duplicate_axis, error, "a mesh has two axes '{0}'");     // H1
PLANC_DIAGNOSTIC(mesh_too_large, error, "a mesh of more than {0} ranks"); // H4
PLANC_DIAGNOSTIC(unknown_machine, error, "unknown machine '{0}'");        // H1

std::vector<MeshAxis> analyze_axes(const std::vector<syntax::MeshAxis> &axes, SourceRange where, Analysis &analysis) {
    const Context &context = analysis.context;
    constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();
    std::vector<MeshAxis> result;
    std::int64_t ranks = 1;
    for (const syntax::MeshAxis &axis : axes) {
        for (std::size_t i = 0; i < result.size(); ++i)
            if (result[i].name == axis.name.text)
                context.fail(duplicate_axis, axis.name.where, {axis.name.text},
                             {{axes[i].name.where, "the first one is here"}});
        std::optional<std::int64_t> size; // may be open (H2)
        if (axis.size) {
            Elaborator constants(analysis, analysis.declarations.unit_of(axis.where));
            const bool known = context.attempt([&] {
                size = expect_integer_in(context, constants.evaluate(*axis.size), axis.size->where,
                                         "the size of axis '" + axis.name.text + "'", 1, most_ranks);
            });
            if (known && (__builtin_mul_overflow(ranks, *size, &ranks) || ranks > most_ranks))
                context.fail(mesh_too_large, where, {std::to_string(most_ranks)});
        }
        result.push_back({axis.name.text, size});
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
