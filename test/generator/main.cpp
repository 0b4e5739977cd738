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
    std::map<std::string, std::int64_t> collectives;
    for (std::uint64_t i = 0; i < count; ++i) {
        const planc::test::CaseResult result = planc::test::check_case(seed + i);
        if (!result.difference.empty()) {
            std::cout << result.difference << '\n';
            return 1;
        }
        for (const auto &[kind, number] : result.collectives)
            collectives[kind] += number;
    }
    std::cout << count << " random networks from seed " << seed << ": all equal to one rank;";
    for (const auto &[kind, number] : collectives)
        std::cout << ' ' << number << ' ' << kind;
    std::cout << '\n';
    return 0;
}
