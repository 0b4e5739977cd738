#include "run/outputs.h"

#include "support/failure.h"

#include <filesystem>

namespace planrt {

namespace {

namespace fs = std::filesystem;

/// Where a file lies, or will lie when it is written.
fs::path place_of(const fs::path &path) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

/// Whether both names are of one file, or will be when they are written.
bool same_file(const fs::path &one, const fs::path &other) {
    std::error_code ignored;
    for (const fs::path &path : {one, other})
        if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
            return false;
    if (fs::exists(one, ignored) && fs::exists(other, ignored))
        return fs::equivalent(one, other, ignored);
    return place_of(one) == place_of(other);
}

/// Whether a directory of checkpoints has or will have a file of its own there.
bool is_of_checkpoints(const fs::path &path, const std::string &directory) {
    const std::string name = path.filename().string();
    return !directory.empty() && (name == "lock" || (name.starts_with("step-") && name.ends_with(".safetensors"))) &&
           place_of(path).parent_path() == place_of(fs::path(directory) / "lock").parent_path();
}

} // namespace

void check_outputs_differ(const Options &options, std::vector<NamedFile> inputs) {
    inputs.push_back({"the program itself", "/proc/self/exe"});
    const std::vector<NamedFile> outputs = {{"--save", options.save},   {"--save-init", options.save_init},
                                            {"--log", options.log},     {"--comm-report", options.comm_report},
                                            {"--trace", options.trace}, {"--output", options.output}};
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (output->path.empty())
            continue;
        for (auto other = outputs.begin(); other != output; ++other)
            if (!other->path.empty() && same_file(output->path, other->path))
                throw Failure(other->purpose + " and " + output->purpose + " would write the same file " +
                              output->path);
        for (const std::string &directory : {options.checkpoint, options.resume_directory()})
            if (is_of_checkpoints(output->path, directory))
                throw Failure(output->purpose + " would replace " + output->path + ", a name of the checkpoints in " +
                              directory);
        for (const NamedFile &input : inputs)
            if (!input.path.empty() && same_file(output->path, input.path))
                throw Failure(output->purpose + " would replace " + output->path + ", which is read: it is " +
                              input.purpose);
    }
}

} // namespace planrt
