// Which files a run writes, and that none of them replaces another one.
#pragma once

#include "run/options.h"

#include <string>
#include <vector>

namespace planrt {

/// A file that a run reads or writes, and what for: "--save", "the data".
struct NamedFile {
    std::string purpose;
    std::string path; ///< empty: not asked for
};

/// Failure where two outputs of a run are one file, or an output is one that it reads: `inputs`, and the program
/// itself. Devices and pipes take whatever comes.
void check_outputs_differ(const Options &options, std::vector<NamedFile> inputs);

} // namespace planrt
