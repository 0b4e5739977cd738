// Random networks on the interpreter, as many as asked for: random_networks --count 10000 --seed 7
#include "random_case.h"

#include <charconv>
#include <iostream>
#include <string_view>

namespace {

bool parse(std::string_view text, std::uint64_t &number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

} // namespace

int main(int argc, char **argv) {
    std::uint64_t count = 1000;
    std::uint64_t seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        const bool known =
            (option == "--count" && parse(argv[i + 1], count)) || (option == "--seed" && parse(argv[i + 1], seed));
        if (!known) {
            std::cerr << "usage: random_networks [--count N] [--seed S]\n";
            return 2;
        }
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string difference = planc::test::check_case(seed + i);
        if (!difference.empty()) {
            std::cout << difference << '\n';
            return 1;
        }
    }
    std::cout << count << " random networks from seed " << seed << ": all equal to one rank\n";
    return 0;
}
