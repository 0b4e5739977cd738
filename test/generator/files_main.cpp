// Random networks as files, for tests of commands:
//   random_files --directory DIR [--count N] [--seed S] [--pipelines]
// writes DIR/S.plan, DIR/S+1.plan, …; with --pipelines every layout `rules` has a pipeline
#include "layout.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>

namespace {

bool parse(std::string_view text, std::uint64_t &number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

} // namespace

int main(int argc, char **argv) {
    std::string directory;
    std::uint64_t count = 20;
    std::uint64_t seed = 1;
    double pipelines = 0;
    bool known = true;
    for (int i = 1; known && i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--pipelines") {
            pipelines = 1;
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
        std::cerr << "usage: random_files --directory D [--count N] [--seed S] [--pipelines]\n";
        return 2;
    }
    for (std::uint64_t i = seed; i < seed + count; ++i) {
        std::ofstream file(directory + "/" + std::to_string(i) + ".plan");
        file << planc::test::random_file(i, {.pipelines = pipelines}).text();
        if (!file.flush())
            return 1;
    }
    return 0;
}
