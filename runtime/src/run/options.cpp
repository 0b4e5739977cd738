#include "run/options.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

namespace planrt {

namespace {

constexpr int most_threads = 4096;
constexpr std::int64_t most_trace_steps = 1000;

[[noreturn]] void wrong_usage(const std::string &message) {
    throw Failure(message + "; --help lists the options");
}

/// Reads a finite number from `least` to `most`. The check is needed because from_chars also reads "inf" and "nan".
template <class Number>
Number parse_number(std::string_view option, std::string_view word, Number least,
                    Number most = std::numeric_limits<Number>::max()) {
    Number value{};
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = rest == word.data() + word.size() && error != std::errc::invalid_argument;
    std::string expected;
    if (is_number && (error == std::errc::result_out_of_range || value > most))
        expected = std::is_integral_v<Number> ? "a number up to " + std::to_string(most) : "a finite number";
    else if (!is_number || !(value >= least))
        expected = least > 0 ? "a positive number" : "a number";
    if (!expected.empty())
        wrong_usage("option " + std::string(option) + ": expected " + expected + ", got '" + std::string(word) + "'");
    return value;
}

/// Notes what was given for an option; the last one counts.
void note(Facts &given, std::string_view option, std::string_view value) {
    const auto known = std::ranges::find(given, option, &Facts::value_type::first);
    if (known != given.end())
        known->second = value;
    else
        given.emplace_back(option, value);
}

/// `given` is empty if the command line ends after the option.
void set_value(Options &options, std::string_view option, std::optional<std::string_view> given) {
    const std::string_view word = given.value_or("1"); // good for every option
    if (option == "--steps")
        options.steps = parse_number<std::int64_t>(option, word, 1);
    else if (option == "--epochs")
        options.epochs = parse_number<std::int64_t>(option, word, 1);
    else if (option == "--seed")
        options.seed = parse_number<std::uint64_t>(option, word, 0);
    else if (option == "--threads")
        options.threads = parse_number<int>(option, word, 1, most_threads);
    else if (option == "--watchdog")
        options.watchdog_seconds = parse_number<double>(option, word, 0);
    else if (option == "--data")
        options.data = word;
    else if (option == "--log")
        options.log = word;
    else if (option == "--save")
        options.save = word;
    else if (option == "--save-init")
        options.save_init = word;
    else if (option == "--init")
        options.init = word;
    else if (option == "--comm-report")
        options.comm_report = word;
    else if (option == "--trace")
        options.trace = word;
    else if (option == "--trace-steps")
        options.trace_steps = parse_number<std::int64_t>(option, word, 1, most_trace_steps);
    else if (option == "--checkpoint")
        options.checkpoint = word;
    else if (option == "--checkpoint-every")
        options.checkpoint_every = parse_number<std::int64_t>(option, word, 1);
    else if (option == "--checkpoint-minutes")
        options.checkpoint_minutes = parse_number<double>(option, word, 0);
    else if (option == "--keep")
        options.keep = parse_number<std::int64_t>(option, word, 1);
    else if (option == "--resume")
        options.resume_from = word;
    else if (option == "--predict")
        options.predict = word;
    else if (option == "--output")
        options.output = word;
    else
        wrong_usage("unknown option '" + std::string(option) + "'");
    if (!given)
        wrong_usage("option " + std::string(option) + ": its value is missing");
    note(options.given, option, word);
}

bool was_given(const Options &options, std::string_view option) {
    return std::ranges::find(options.given, option, &Facts::value_type::first) != options.given.end();
}

void check_combinations(const Options &options) {
    if (options.checkpoint.empty() && (options.checkpoint_every || options.checkpoint_minutes))
        wrong_usage("--checkpoint-every and --checkpoint-minutes need --checkpoint DIR");
    if (options.resume && options.resume_directory().empty())
        wrong_usage("option --resume: expected a directory, or --checkpoint DIR");
    if (options.resume && !options.init.empty())
        wrong_usage("--init and --resume exclude each other: both give the weights");
    if (options.predict.empty() != options.output.empty())
        wrong_usage("--predict and --output FILE go together");
    if (!options.predict.empty() && options.compare)
        wrong_usage("--compare needs training steps, but --predict runs none");
    if (!options.predict.empty() && !options.trace.empty())
        wrong_usage("--trace needs training steps, but --predict runs none");
    if (options.trace.empty() && was_given(options, "--trace-steps"))
        wrong_usage("--trace-steps needs --trace FILE");
    if (!options.predict.empty() && !options.resume && options.init.empty())
        wrong_usage("option --predict: expected weights, by --init FILE or --resume DIR");
}

} // namespace

Options parse_options(int argc, char **argv) {
    Options options;
    if (const char *seconds = std::getenv("PLANRT_WATCHDOG"))
        set_value(options, "--watchdog", seconds);
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--help" || word == "-h") {
            options.help = true;
            note(options.given, "--help", "given");
        } else if (word == "--quiet" || word == "-q") {
            options.quiet = true;
            note(options.given, "--quiet", "given");
        } else if (word == "--compare") {
            options.compare = true;
            note(options.given, "--compare", "given");
        } else if (word == "--resume") {
            options.resume = true;
            if (i + 1 < argc && argv[i + 1][0] != '-')
                options.resume_from = argv[++i];
            note(options.given, "--resume", options.resume_from.empty() ? "given" : options.resume_from);
        } else if (!word.starts_with("--")) {
            wrong_usage("unexpected argument '" + std::string(word) + "'");
        } else if (const std::size_t equals = word.find('='); equals != std::string_view::npos) {
            set_value(options, word.substr(0, equals), word.substr(equals + 1));
            options.resume = options.resume || word.starts_with("--resume=");
        } else if (i + 1 < argc) {
            set_value(options, word, argv[++i]);
        } else {
            set_value(options, word, {}); // an unknown option, or one whose value is missing
        }
    }
    check_combinations(options);
    return options;
}

std::string help_text(const Program &program, const char *executable) {
    const int ranks = mesh_of(program).ranks();
    std::string result =
        text("%s: trains network %s of %s on %d %s (mesh %s), layout %s\n\n", executable, program.name, program.source,
             ranks, ranks == 1 ? "rank" : "ranks", describe_mesh(program).c_str(), program.layout);
    result += text("usage: mpirun -n %d %s [options]\n\n", ranks, executable);
    return result +
           "  --steps N           stop after N training steps\n"
           "  --epochs N          stop after N epochs\n"
           "  --seed N            seed of initial weights, split, shuffling and augmentation\n"
           "  --data DIR          read the data files from DIR\n"
           "  --init FILE         start with these weights (safetensors)\n"
           "  --save-init FILE    write the weights before the first step (safetensors)\n"
           "  --save FILE         write the weights after the last step (safetensors)\n"
           "  --log FILE          write a line of JSON for each step and evaluation\n"
           "  --checkpoint DIR    write checkpoints to DIR, after each epoch and at the end (also if SIGINT, SIGTERM "
           "or\n"
           "                      SIGUSR1 stops the run), or\n"
           "  --checkpoint-every N, --checkpoint-minutes M\n"
           "                      every N steps, every M minutes, and at the end\n"
           "  --keep K            keep the last K checkpoints (default 3)\n"
           "  --resume [DIR]      continue from the newest checkpoint in DIR (default: --checkpoint), if there is one\n"
           "  --predict FILE      do not train, but run the network on the samples of FILE; if it is trained on a "
           "graph,\n"
           "                      on all vertices, with the data files in directory FILE\n"
           "  --output FILE       write the predictions to FILE, as .csv or else .npy\n"
           "  --comm-report FILE  write measured and predicted communication (JSON); exit code 3 if they differ\n"
           "  --compare           print predicted and measured times of a step, by layer; --comm-report contains them "
           "too\n"
           "  --trace FILE        write when each rank did what in the last steps, for Perfetto and planc timeline\n"
           "  --trace-steps N     how many steps (default 10)\n"
           "  --threads N         threads of each rank (default 1)\n"
           "  --watchdog SECONDS  end all ranks if a wait takes longer than this (default 0: never)\n"
           "  --quiet             print only the result and errors\n"
           "  --help              print this\n";
}

} // namespace planrt
