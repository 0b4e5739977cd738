// Machines and meshes: where a program runs.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

[[nodiscard]] Machine analyze_machine(const syntax::MachineDeclaration &declaration, Analysis &analysis);
[[nodiscard]] Mesh analyze_mesh(const syntax::MeshDeclaration &declaration, Analysis &analysis);
/// The axes of a mesh, named or anonymous.
[[nodiscard]] std::vector<MeshAxis> analyze_axes(const std::vector<syntax::MeshAxis> &axes, SourceRange where,
                                                 Analysis &analysis);

} // namespace planc::sema
