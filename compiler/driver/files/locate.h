// Where planc finds what belongs to it: beside its own executable, in the build tree and installed alike.
#pragma once

#include <string>
#include <vector>

namespace planc::driver {

struct Installation {
    std::string include; ///< has planrt/planrt.h
    std::string library; ///< has libplanrt.a and planrt.flags
    std::string stdlib;  ///< what `import "std/…"` reads

    /// "std/…" is the standard library's file of that name, unless there is one where planc was called.
    [[nodiscard]] std::string path_of(const std::string &file) const;
    /// The file of a machine that is named by its file, or as one of the standard library: "summit". Empty: there is
    /// none of the name.
    [[nodiscard]] std::string path_of_machine(const std::string &name) const;
    /// The names of the standard library's machines, sorted.
    [[nodiscard]] std::vector<std::string> machines() const;
};

/// PREFIX/bin/planc -> PREFIX/include, PREFIX/lib, PREFIX/share/planc/stdlib.
[[nodiscard]] Installation locate_installation();

} // namespace planc::driver
