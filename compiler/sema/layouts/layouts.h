// Layouts: flattens their rules and checks them against the mesh, the dimensions and the layers of the program.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// Appends the layout to the program, with its mesh if that is anonymous. The program must already have its networks,
/// losses and meshes. `check_layers`: also check what depends on the networks (for layouts of the root file).
void analyze_layout(const syntax::LayoutDeclaration &declaration, bool check_layers, Analysis &analysis);

/// Checks in every network of the program that no operation has two loops on one axis (P6).
void check_axes(const Layout &layout, const Analysis &analysis);

} // namespace planc::sema
