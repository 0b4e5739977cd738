// Where planc finds what belongs to it: beside its own executable, in the build tree and installed alike.
#pragma once

#include <string>

namespace planc::driver {

struct Installation {
    std::string include; ///< has planrt/planrt.h
    std::string library; ///< has libplanrt.a and planrt.flags
    std::string stdlib;  ///< what `import "std/…"` reads
};

/// PREFIX/bin/planc -> PREFIX/include, PREFIX/lib, PREFIX/share/planc/stdlib.
[[nodiscard]] Installation locate_installation();

} // namespace planc::driver
