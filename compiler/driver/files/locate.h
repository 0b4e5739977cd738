// Finds the files that belong to planc beside its own executable, in the build tree and in an installation alike.
#pragma once

#include <string>
#include <vector>

namespace planc::driver {

struct Installation {
    std::string include; ///< has planrt/planrt.h
    std::string library; ///< has libplanrt.a and planrt.flags
    std::string stdlib;  ///< what `import "std/…"` reads

    /// The path of a file. "std/…" is the standard library's file of that name, unless the current directory has one.
    [[nodiscard]] std::string path_of(const std::string &file) const;
    /// The file of a machine, given by its path or by its name in the standard library: "summit". Empty if there is
    /// none of that name.
    [[nodiscard]] std::string path_of_machine(const std::string &name) const;
    /// The names of the standard library's machines, sorted.
    [[nodiscard]] std::vector<std::string> machines() const;
};

/// PREFIX/bin/planc -> PREFIX/include, PREFIX/lib, PREFIX/share/planc/stdlib.
[[nodiscard]] Installation locate_installation();

} // namespace planc::driver
