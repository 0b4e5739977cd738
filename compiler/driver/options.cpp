#include "driver/options.h"

#include "support/diagnostics.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

namespace planc::driver {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;

const std::map<std::string, Command> commands{
    {"cost", Command::cost}, {"explain", Command::explain}, {"fmt", Command::format}};

const std::vector<std::pair<std::string, Stage>> stages{{"ast", Stage::ast},           {"plan", Stage::plan},
                                                        {"step", Stage::step},         {"spmd", Stage::spmd},
                                                        {"schedule", Stage::schedule}, {"cpp", Stage::cpp}};

const std::vector<std::pair<std::string, ReportFormat>> formats{
    {"table", ReportFormat::table}, {"json", ReportFormat::json}, {"csv", ReportFormat::csv}};

const std::vector<std::pair<std::string, cost::Profile>> profiles{{"exact", cost::Profile::exact},
                                                                  {"gholami18", cost::Profile::gholami18},
                                                                  {"slides21", cost::Profile::slides21},
                                                                  {"castello19", cost::Profile::castello19}};

/// Thrown inside this file only; parse_options() turns it into its result.
struct Usage {
    std::string text;
};

std::int64_t positive(const std::string &option, std::string_view text, std::int64_t most) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > most)
        throw Usage{option + " takes a whole number from 1 to " + std::to_string(most) + ", got '" + std::string(text) +
                    "'"};
    return value;
}

/// "rows=2,cols=3"
std::vector<std::pair<std::string, std::int64_t>> assignments(const std::string &option, std::string_view text,
                                                              std::int64_t most) {
    std::vector<std::pair<std::string, std::int64_t>> result;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            throw Usage{option + " takes name=size pairs separated by commas, got '" + std::string(part) + "'"};
        std::string name(part.substr(0, equals));
        for (const auto &[other, size] : result)
            if (other == name)
                throw Usage{option + " names '" + name + "' twice"};
        result.emplace_back(std::move(name), positive(option, part.substr(equals + 1), most));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
    }
    if (result.empty())
        throw Usage{option + " takes name=size pairs separated by commas, got nothing"};
    return result;
}

template <class T>
T one_of(const std::string &option, const std::vector<std::pair<std::string, T>> &choices, const std::string &text) {
    std::string names;
    for (const auto &[name, value] : choices) {
        if (name == text)
            return value;
        names += (names.empty() ? "" : ", ") + name;
    }
    throw Usage{option + " is one of " + names + ", got '" + text + "'"};
}

class Parser {
  public:
    explicit Parser(const std::vector<std::string> &arguments) : arguments_(arguments) {}

    Options run() {
        for (at_ = 0; at_ < arguments_.size(); ++at_) {
            if (arguments_[at_].size() > 1 && arguments_[at_][0] == '-')
                option(arguments_[at_]);
            else
                word(arguments_[at_]);
        }
        check();
        return std::move(options_);
    }

  private:
    void word(const std::string &text) {
        const auto command = commands.find(text);
        if (command != commands.end() && at_ == 0) {
            options_.command = command->second;
            return;
        }
        if (!options_.file.empty())
            throw Usage{"one .plan file at a time, got '" + options_.file + "' and '" + text + "'"};
        options_.file = text;
    }

    void option(const std::string &text) {
        const std::size_t equals = text.find('=');
        const bool attached = text.starts_with("--") && equals != std::string::npos;
        const std::string name = attached ? text.substr(0, equals) : text;
        if (const auto flag = flags().find(name); flag != flags().end()) {
            if (attached)
                throw Usage{name + " takes no value"};
            flag->second(options_);
            return;
        }
        const auto known = valued().find(name);
        if (known == valued().end())
            throw Usage{unknown(name)};
        if (!attached && at_ + 1 >= arguments_.size())
            throw Usage{name + " needs a value"};
        known->second(options_, attached ? text.substr(equals + 1) : arguments_[++at_]);
    }

    static std::string unknown(const std::string &name) {
        std::vector<std::string> names;
        for (const auto &[flag, set] : flags())
            names.push_back(flag);
        for (const auto &[option, set] : valued())
            names.push_back(option);
        const std::string near = support::nearest(name, names);
        return "unknown option '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?");
    }

    static const std::map<std::string, std::function<void(Options &)>> &flags() {
        static const std::map<std::string, std::function<void(Options &)>> all{
            {"--help", [](Options &o) { o.command = Command::help; }},
            {"-h", [](Options &o) { o.command = Command::help; }},
            {"--version", [](Options &o) { o.command = Command::version; }},
            {"--list-diagnostics", [](Options &o) { o.command = Command::list_diagnostics; }},
            {"--formulas", [](Options &o) { o.formulas = true; }},
            {"--summary", [](Options &o) { o.summary = true; }},
            {"-i", [](Options &o) { o.in_place = true; }},
            {"--check", [](Options &o) { o.check_only = true; }},
            {"--keep-cpp", [](Options &o) { o.keep_cpp = true; }},
            {"--print-ir", [](Options &o) { o.print_passes = true; }},
            {"--timing", [](Options &o) { o.timing = true; }},
        };
        return all;
    }

    using Setter = std::function<void(Options &, const std::string &)>;
    static const std::map<std::string, Setter> &valued() {
        static const std::map<std::string, Setter> all{
            {"-o", [](Options &o, const std::string &v) { o.output = v; }},
            {"--emit", [](Options &o, const std::string &v) { o.emit = one_of("--emit", stages, v); }},
            {"--ranks", [](Options &o, const std::string &v) { o.ranks = positive("--ranks", v, most_ranks); }},
            {"--mesh", [](Options &o, const std::string &v) { o.mesh = assignments("--mesh", v, most_ranks); }},
            {"--dim", [](Options &o, const std::string &v) { o.dimensions = assignments("--dim", v, INT64_MAX); }},
            {"--layout", [](Options &o, const std::string &v) { o.layout = v; }},
            {"--machine", [](Options &o, const std::string &v) { o.machine = v; }},
            {"--format", [](Options &o, const std::string &v) { o.format = one_of("--format", formats, v); }},
            {"--profile", [](Options &o, const std::string &v) { o.profile = one_of("--profile", profiles, v); }},
            {"--why-not", [](Options &o, const std::string &v) { o.why_not = v; }},
            {"--cxx", [](Options &o, const std::string &v) { o.cxx = v; }},
        };
        return all;
    }

    void check() const {
        const Command command = options_.command;
        if (command == Command::help || command == Command::version || command == Command::list_diagnostics)
            return;
        if (options_.file.empty())
            throw Usage{"no .plan file given"};
        if (command != Command::compile && (options_.emit != Stage::none || !options_.output.empty()))
            throw Usage{"--emit and -o go with plain `planc FILE`"};
        if (command != Command::cost &&
            (options_.format != ReportFormat::table || options_.formulas || options_.summary))
            throw Usage{"--format, --formulas and --summary go with `planc cost`"};
        if (options_.summary &&
            (options_.formulas || !options_.layout.empty() || options_.ranks || !options_.mesh.empty()))
            throw Usage{
                "--summary is of the network alone: --formulas, --layout, --ranks and --mesh do not go with it"};
        if (options_.profile != cost::Profile::exact) {
            if (command != Command::cost && command != Command::explain)
                throw Usage{
                    "--profile goes with `planc cost` and `planc explain`: programs are planned by what they run"};
            if (options_.summary || !options_.why_not.empty())
                throw Usage{"--summary and --why-not know no --profile"};
        }
        if (command != Command::explain && !options_.why_not.empty())
            throw Usage{"--why-not goes with `planc explain`"};
        if (command != Command::format && (options_.in_place || options_.check_only))
            throw Usage{"-i and --check go with `planc fmt`"};
    }

    const std::vector<std::string> &arguments_;
    std::size_t at_ = 0;
    Options options_;
};

} // namespace

std::variant<Options, std::string> parse_options(const std::vector<std::string> &arguments) {
    try {
        return Parser(arguments).run();
    } catch (const Usage &usage) {
        return usage.text;
    }
}

std::string version_text() {
    return "planc 0.1\n";
}

std::string help_text() {
    return R"(planc: a compiler for parallel training plans

  planc FILE.plan [-o PROGRAM]     check, choose a plan, and compile it to an MPI program
  planc cost FILE.plan             predicted communication and time per layer
  planc explain FILE.plan          what was chosen, what else there was, and why
  planc fmt FILE.plan              the file in canonical form, on standard output

What to plan for
  --ranks N            how many ranks; default: what the mesh says, else 1
  --mesh a=2,b=3       sizes of the mesh's axes
  --layout NAME        a layout of the file; default: the one that `train` names
  --machine FILE       a .plan file with one machine, also std/machines/NAME.plan; default: the mesh's, else local.
                       NAME: cori, ethernet_10, ethernet_100, local, skylake, skylake_cores, summit
  --dim name=N,…       extents for dimensions that the file declares or leaves open

planc FILE.plan
  -o PROGRAM           call mpicxx; without -o and --emit the file is only checked and planned
  --emit=STAGE         print ast, plan, step, spmd, schedule or cpp and stop
  --keep-cpp           leave PROGRAM.cpp beside the program
  --cxx COMMAND        the MPI C++ compiler; default: mpicxx
  --print-ir           the IR after every pass, on standard error
  --timing             seconds per step of the compiler, on standard error

planc cost
  --format=F           table, json or csv
  --formulas           the formula behind every figure
  --summary            instead: shape, parameters and multiply-adds of every layer and in total

planc explain
  --why-not "LAYER: DIMENSION -> AXIS"
                       the rule that forbids it, or what it would cost

planc cost and planc explain
  --profile=P          exact (what is emitted, the default), or a cost model of the literature, with its own best
                       plan: gholami18, slides21, castello19

planc fmt
  -i                   write the file
  --check              exit 1 if the file is not in canonical form

Others: --help, --version, --list-diagnostics
Exit code: 0 done, 1 an error in the input, 2 wrong usage.
)";
}

} // namespace planc::driver
