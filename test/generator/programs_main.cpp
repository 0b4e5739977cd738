// Random networks compiled by planc and run on their ranks:
//   random_programs --planc bin/planc --mpirun scripts/mpirun --directory DIR [--count N] [--seed S] [--pipelines]
//   [--go-on]
// Everything that was made for seed S is in DIR/S.
#include "run_program.h"

#include <charconv>
#include <iostream>
#include <map>
#include <string_view>

namespace {

bool parse(std::string_view text, std::uint64_t &number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

} // namespace

int main(int argc, char **argv) {
    planc::test::Tools tools;
    std::uint64_t count = 6;
    std::uint64_t seed = 1;
    const std::map<std::string_view, std::string *> paths{
        {"--planc", &tools.planc}, {"--mpirun", &tools.mpirun}, {"--directory", &tools.directory}};
    bool known = true;
    bool go_on = false;
    for (int i = 1; known && i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--pipelines") {
            tools.pipelines = 1;
            continue;
        }
        if (option == "--go-on") {
            go_on = true;
            continue;
        }
        known = ++i < argc;
        if (!known)
            break;
        if (const auto path = paths.find(option); path != paths.end())
            *path->second = argv[i];
        else
            known = (option == "--count" && parse(argv[i], count)) || (option == "--seed" && parse(argv[i], seed));
    }
    if (!known || tools.planc.empty() || tools.mpirun.empty() || tools.directory.empty()) {
        std::cerr << "usage: random_programs --planc P --mpirun M --directory D [--count N] [--seed S] [--pipelines] "
                     "[--go-on]\n";
        return 2;
    }
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const planc::test::ProgramResult result = planc::test::check_program(seed + i, tools);
        if (!result.difference.empty()) {
            std::cout << "seed " << seed + i << " fails\n" << result.text << '\n' << result.difference << std::endl;
            ++failed;
            if (!go_on)
                return 1;
        }
        refused += result.refused.empty() ? 0 : 1;
        std::cerr << result.refused;
    }
    std::cout << count << " random programs from seed " << seed << ": "
              << (failed == 0 ? "all" : std::to_string(count - failed)) << " equal to the interpreter; " << refused
              << " refused\n";
    return failed > 0 || refused == count ? 1 : 0;
}
