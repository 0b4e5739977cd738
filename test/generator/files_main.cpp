// Random networks as files, for tests of commands:
//   random_files --directory DIR [--count N] [--seed S] [--pipelines | --graphs]
// writes DIR/S.plan, DIR/S+1.plan, …; with --pipelines every layout `rules` has a pipeline; with --graphs they
// have graphs, and a file with data is DIR/S/S.plan beside them
#include "data_directory.h"
#include "layout.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>

namespace {

bool parse(std::string_view text, std::uint64_t &number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

/// Data files have names of their own only within a directory.
bool write(const planc::test::PlanFile &file, std::string directory, const std::string &name) {
    if (!file.files.empty()) {
        directory += "/" + name;
        std::filesystem::create_directories(directory);
        planc::test::write_data(file, directory);
    }
    std::ofstream stream(directory + "/" + name + ".plan");
    stream << file.text();
    stream.flush();
    return stream.good();
}

} // namespace

int main(int argc, char **argv) {
    std::string directory;
    std::uint64_t count = 20;
    std::uint64_t seed = 1;
    planc::test::NetworkOptions network;
    bool known = true;
    for (int i = 1; known && i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--pipelines") {
            network.pipelines = 1;
            continue;
        }
        if (option == "--graphs") {
            network = planc::test::graph_options;
            network.pipelines = 0;
            continue;
        }
        known = ++i < argc;
        if (known && option == "--directory")
            directory = argv[i];
        else
            known = known &&
                    ((option == "--count" && parse(argv[i], count)) || (option == "--seed" && parse(argv[i], seed)));
    }
    if (!known || directory.empty()) {
        std::cerr << "usage: random_files --directory D [--count N] [--seed S] [--pipelines | --graphs]\n";
        return 2;
    }
    for (std::uint64_t i = seed; i < seed + count; ++i)
        if (!write(planc::test::random_file(i, network), directory, std::to_string(i)))
            return 1;
    return 0;
}
