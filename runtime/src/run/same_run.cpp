#include "run/same_run.h"

#include "mesh/tensors.h"
#include "support/checksum.h"
#include "support/failure.h"

#include <algorithm>

namespace planrt {

namespace {

/// The checksum of this process's executable, which covers the functions of a step; they are in no table. "unknown" if
/// the system does not tell.
std::string checksum_of_executable() {
    try {
        return checksum_of_file("/proc/self/exe");
    } catch (const Failure &) {
        return "unknown";
    }
}

Facts facts_of(const Program &program) {
    return {{"network", text("%s of %s", program.name, program.source)},
            {"layout", program.layout},
            {"mesh", describe_mesh(program)},
            {"bytes of buffers", std::to_string(program.arena_bytes)},
            {"batch", std::to_string(program.batch)},
            {"checksum of the executable", checksum_of_executable()}};
}

} // namespace

void check_same_run(const Program &program, const Options &options) {
    agree(facts_of(program), "the ranks run different programs", exit_usage);
    Facts given = options.given;
    std::erase_if(given, [](const auto &option) { return option.first == "--data"; });
    agree(given, "the ranks were started with different options", exit_usage);
}

} // namespace planrt
