// Random networks as files, for tests of commands:
//   random_files --directory DIR [--count N] [--seed S]
// writes DIR/S.plan, DIR/S+1.plan, …
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
    bool known = argc % 2 == 1;
    for (int i = 1; known && i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        if (option == "--directory")
            directory = argv[i + 1];
        else
            known =
                (option == "--count" && parse(argv[i + 1], count)) || (option == "--seed" && parse(argv[i + 1], seed));
    }
    if (!known || directory.empty()) {
        std::cerr << "usage: random_files --directory D [--count N] [--seed S]\n";
        return 2;
    }
    for (std::uint64_t i = seed; i < seed + count; ++i) {
        std::ofstream file(directory + "/" + std::to_string(i) + ".plan");
        file << planc::test::random_file(i).text();
        if (!file.flush())
            return 1;
    }
    return 0;
}
