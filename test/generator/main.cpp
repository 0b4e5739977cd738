// Random networks on the interpreter, as many as asked for: random_networks --count 10000 --seed 7
//   --pipelines every case has a pipeline
//   --graphs    every case has a graph
//   --go-on     reports a failure and goes on; the failing case counts
//   --show      prints the .plan text of every case
//   --shrink    makes the failing case smaller before it is printed
//   --ir        prints the failing program's IR too
#include "check_case.h"
#include "layout.h"
#include "shrink.h"

#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

using namespace planc::test;

namespace {

struct Options {
    std::uint64_t count = 1000;
    std::uint64_t seed = 1;
    bool show = false;
    bool shrink = false;
    bool ir = false;
    bool go_on = false;
    std::optional<double> pipelines;
    bool graphs = false;
};

bool parse(std::string_view text, std::uint64_t &number) {
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

bool parse(int argc, char **argv, Options &options) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (option == "--show")
            options.show = true;
        else if (option == "--shrink")
            options.shrink = true;
        else if (option == "--ir")
            options.ir = true;
        else if (option == "--go-on")
            options.go_on = true;
        else if (option == "--pipelines")
            options.pipelines = 1;
        else if (option == "--graphs")
            options.graphs = true;
        else if (i + 1 < argc && option == "--count" && parse(argv[i + 1], options.count))
            ++i;
        else if (i + 1 < argc && option == "--seed" && parse(argv[i + 1], options.seed))
            ++i;
        else
            return false;
    }
    return true;
}

NetworkOptions network_options(const Options &options) {
    NetworkOptions network = options.graphs ? graph_options : NetworkOptions{.normalised_parts = true};
    network.pipelines = options.pipelines.value_or(options.graphs ? network.pipelines : 0.3);
    return network;
}

/// The first line of a diagnostic without its place.
std::string reason(const std::string &refusal) {
    const std::size_t begin = refusal.find("error: ");
    const std::string line = refusal.substr(begin == std::string::npos ? 0 : begin + 7);
    return line.substr(0, line.find('\n'));
}

void report(std::uint64_t seed, PlanFile file, const Options &options) {
    if (options.shrink)
        file = shrink(file, seed);
    const CaseResult result = check_case(file, seed);
    std::cout << "seed " << seed << " fails\n" << file.text_with_data() << '\n' << result.difference << '\n';
    if (options.ir)
        std::cout << '\n' << result.program << '\n';
    std::cout << std::flush;
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::cerr << "usage: random_networks [--count N] [--seed S] [--pipelines] [--graphs] [--go-on] [--show] "
                     "[--shrink] [--ir]\n";
        return 2;
    }
    std::map<std::string, std::int64_t> collectives;
    std::map<std::string, int> refused;
    std::uint64_t compared = 0;
    std::uint64_t failed = 0;
    for (std::uint64_t i = 0; compared < options.count; ++i) {
        const std::uint64_t seed = options.seed + i;
        const PlanFile file = random_file(seed, network_options(options));
        if (options.show)
            std::cout << "// seed " << seed << '\n' << file.text_with_data() << '\n';
        const CaseResult result = check_case(file, seed);
        if (!result.difference.empty()) {
            report(seed, file, options);
            if (!options.go_on)
                return 1;
            ++failed;
        }
        if (!result.refused.empty()) {
            ++refused[reason(result.refused)];
            if (options.show)
                std::cout << result.refused << '\n';
            continue;
        }
        ++compared;
        for (const auto &[kind, number] : result.collectives)
            collectives[kind] += number;
    }
    std::cout << options.count << " random networks from seed " << options.seed << ": "
              << (failed == 0 ? "all" : std::to_string(options.count - failed)) << " equal to one rank;";
    for (const auto &[kind, number] : collectives)
        std::cout << ' ' << number << ' ' << kind;
    std::cout << '\n';
    for (const auto &[why, number] : refused)
        std::cout << "refused " << number << ": " << why << '\n';
    return failed == 0 ? 0 : 1;
}
