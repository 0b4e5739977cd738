// Checks that no file that a run writes replaces another one.
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

/// Errors: Failure if two outputs of a run are the same file, or if an output is a file that the run reads: one of
/// `inputs`, or the program itself. Devices and pipes are not checked.
void check_outputs_differ(const Options &options, std::vector<NamedFile> inputs);

} // namespace planrt
