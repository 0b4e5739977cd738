// The declarations of the standard library, for hints if an import is missing.
#pragma once

#include "sema/context.h"

#include <map>
#include <string>

namespace planc::sema {

/// Layers and networks of the library, and the path by which each is imported: "dense" -> "std/dense.plan".
[[nodiscard]] const std::map<std::string, std::string> &library_callables(const Context &context);

/// The file of that import that is likely meant: "std/dense.plan" for "std/dens.plan", "dense.plan" or "std/dense".
/// `beside`: the path that the import leads to, for files of the user's. Empty: none.
[[nodiscard]] std::string nearest_import(const std::string &import, const std::string &beside, const Context &context);

} // namespace planc::sema
