// The type of a sparse argument: `sparse[vertex, vertex', f32]` in a network, `sparse[target, source]` in a layer's
// signature, where the element type may be left out (D9).
#pragma once

#include "syntax/ast.h"

#include <span>

namespace planc::sema {

[[nodiscard]] bool is_sparse(const syntax::Type &type);
/// The items before the element type: rows and columns, if the type is right.
[[nodiscard]] std::span<const syntax::DimensionItem> sides_of(const syntax::Type &type);
/// The element type, if the last item is one; else null.
[[nodiscard]] const syntax::Name *element_of_sparse(const syntax::Type &type);

} // namespace planc::sema
