// Layouts: their rules flattened and checked against the mesh, the dimensions and the layers of the program.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// Appends the layout to the program, and the mesh where it is anonymous. The networks, losses and meshes of the
/// program must be there. `check_layers`: also check what rests on the networks (the layout is of the root file).
void analyze_layout(const syntax::LayoutDeclaration &declaration, bool check_layers, Analysis &analysis);

/// No operation has two loops on one axis (P6), in any network of the program.
void check_axes(const Layout &layout, const Analysis &analysis);

} // namespace planc::sema
