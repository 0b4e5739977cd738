// front_end_fuzz [--count N] [--seed S|today] [--first I] [--print]
//
// Runs the front end on N mutated .plan files (harness.h). A broken promise of front_end_check.h is a failure.
#include "front_end_check.h"
#include "harness.h"
#include "mutate.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace planc::fuzz {
namespace {

/// The texts of the .plan files in a folder of the source tree, in a fixed order.
std::vector<std::string> read_folder(const char *folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(PLANC_SOURCE) / folder)) {
        if (entry.path().extension() == ".plan")
            paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    std::vector<std::string> seeds;
    for (const auto &path : paths) {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        seeds.push_back(text.str());
    }
    return seeds;
}

/// Every .plan file; the examples, which are whole programs, as often as all others together.
std::vector<std::string> read_seeds() {
    std::vector<std::string> seeds = read_folder("stdlib");
    const std::vector<std::string> tests = read_folder("test");
    const std::vector<std::string> examples = read_folder("examples");
    seeds.insert(seeds.end(), tests.begin(), tests.end());
    for (std::size_t i = 0, others = seeds.size(); i < others; ++i)
        seeds.push_back(examples.at(i % examples.size()));
    return seeds;
}

int run(const Options &options) {
    const Mutator mutator(read_seeds());
    std::uint64_t parsed = 0;
    std::uint64_t analysed = 0;
    const auto check = [&](Random &random, bool print) {
        const std::string text = mutator.next(random);
        if (print)
            std::cout << text << std::flush;
        const Outcome outcome = check_front_end(text, PLANC_SOURCE "/examples", PLANC_SOURCE "/stdlib");
        parsed += outcome.parsed ? 1 : 0;
        analysed += outcome.analysed ? 1 : 0;
        return outcome.wrong;
    };
    if (!all_well("front_end_fuzz", options, check))
        return 1;
    std::cout << "front_end_fuzz: " << options.count << " inputs of seed " << options.seed << ", all well; " << parsed
              << " parsed, " << analysed << " of these are programs\n";
    return 0;
}

} // namespace
} // namespace planc::fuzz

int main(int count, char **arguments) {
    return planc::fuzz::main_of("front_end_fuzz", count, arguments, planc::fuzz::run);
}
