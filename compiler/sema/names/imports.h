// Reads a .plan file and everything it imports. `std/…` comes from the standard library, other paths are relative to
// the importing file. A file that is imported twice is read once.
#pragma once

#include "sema/context.h"
#include "syntax/ast.h"

#include <memory>
#include <string>
#include <vector>

namespace planc::sema {

/// One file of the program.
struct SourceUnit {
    support::FileId id = -1;
    std::string path;      ///< as messages show it
    std::string directory; ///< absolute
    std::unique_ptr<syntax::File> file;
    int importer = -1;        ///< the first unit that imports it; -1: the root
    std::vector<int> imports; ///< units
    bool incomplete = false;  ///< an import failed
};

struct LoadedUnits {
    std::vector<SourceUnit> units; ///< in the order in which they are met; the root is the first
    int layouts = -1;              ///< the unit of Options::layout_file; -1: none
};
[[nodiscard]] LoadedUnits load_units(support::FileId root, Context &context);

/// Reads a file into `context.files`, from Options::overlay or the disk. `where`: the import, and `import`
/// its path as written; or no place and nothing for the root.
[[nodiscard]] support::FileId read_file(const std::string &path, SourceRange where, const Context &context,
                                        const std::string &import = {});

} // namespace planc::sema
