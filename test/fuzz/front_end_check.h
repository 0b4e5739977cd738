// What must hold of the front end on any input.
#pragma once

#include <string>

namespace planc::fuzz {

struct Outcome {
    std::string wrong; ///< empty: all promises were kept
    bool parsed = false;
    bool analysed = false;
};

/// Parses, formats and analyses a text as if it were a file of the folder.
[[nodiscard]] Outcome check_front_end(const std::string &text, const std::string &folder,
                                      const std::string &stdlib_directory);

} // namespace planc::fuzz
