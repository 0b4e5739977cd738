#include "driver/options/options.h"

#include "support/diagnostics.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

namespace planc::driver {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::int64_t most_steps = 1000; // that are simulated

const std::map<std::string, Command> commands{
    {"calibrate", Command::calibrate}, {"cost", Command::cost},         {"diff", Command::diff},
    {"explain", Command::explain},     {"fmt", Command::format},        {"help", Command::help},
    {"plan", Command::plan},           {"simulate", Command::simulate}, {"sweep", Command::sweep},
    {"timeline", Command::timeline},   {"verify", Command::verify},     {"version", Command::version}};

const std::vector<std::pair<std::string, Form>> forms{{"ast", Form::ast},           {"plan", Form::plan},
                                                      {"step", Form::step},         {"spmd", Form::spmd},
                                                      {"schedule", Form::schedule}, {"cpp", Form::cpp}};

const std::vector<std::pair<std::string, ReportFormat>> formats{{"table", ReportFormat::table},
                                                                {"json", ReportFormat::json},
                                                                {"csv", ReportFormat::csv},
                                                                {"html", ReportFormat::html}};

const std::vector<std::pair<std::string, Scaling>> scalings{
    {"strong", Scaling::strong}, {"weak", Scaling::weak}, {"both", Scaling::both}};

const std::vector<std::pair<std::string, TimelineFormat>> timeline_formats{{"text", TimelineFormat::text},
                                                                           {"svg", TimelineFormat::svg},
                                                                           {"chrome", TimelineFormat::chrome},
                                                                           {"html", TimelineFormat::html}};

const std::vector<std::pair<std::string, cost::Profile>> profiles{{"exact", cost::Profile::exact},
                                                                  {"gholami18", cost::Profile::gholami18},
                                                                  {"slides21", cost::Profile::slides21},
                                                                  {"castello19", cost::Profile::castello19},
                                                                  {"cagnet20", cost::Profile::cagnet20}};

/// "rows=2,cols=3"
std::vector<std::pair<std::string, std::int64_t>> assignments(const std::string &option, std::string_view text,
                                                              std::int64_t most) {
    std::vector<std::pair<std::string, std::int64_t>> result;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            throw WrongUsage{option + " takes name=size pairs separated by commas, got '" + std::string(part) + "'"};
        std::string name(part.substr(0, equals));
        for (const auto &[other, size] : result)
            if (other == name)
                throw WrongUsage{option + " names '" + name + "' twice"};
        result.emplace_back(std::move(name), whole_number(option, part.substr(equals + 1), most));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
    }
    if (result.empty())
        throw WrongUsage{option + " takes name=size pairs separated by commas, got nothing"};
    return result;
}

/// The parts between commas outside of brackets.
std::vector<std::string> parts(std::string_view text) {
    std::vector<std::string> result(1);
    bool in_brackets = false;
    for (const char c : text) {
        in_brackets = c == '[' || (in_brackets && c != ']');
        if (c == ',' && !in_brackets)
            result.emplace_back();
        else
            result.back() += c;
    }
    return result;
}

/// "rows=2,cols=[1,3]"
std::vector<MeshSetting> mesh_settings(const std::string &option, const std::string &text) {
    static const std::string wanted = " takes name=size pairs separated by commas, got ";
    if (text.empty())
        throw WrongUsage{option + wanted + "nothing"};
    std::vector<MeshSetting> result;
    for (const std::string &part : parts(text)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0)
            throw WrongUsage{option + wanted + "'" + part + "'"};
        MeshSetting setting{part.substr(0, equals), {}};
        for (const MeshSetting &other : result)
            if (other.axis == setting.axis)
                throw WrongUsage{option + " names '" + setting.axis + "' twice"};
        std::string sizes = part.substr(equals + 1);
        setting.is_list = sizes.starts_with('[') && sizes.ends_with(']');
        if (setting.is_list)
            sizes = sizes.substr(1, sizes.size() - 2);
        for (const std::string &size : setting.is_list ? parts(sizes) : std::vector{sizes})
            setting.sizes.push_back(whole_number(option, size, most_ranks));
        result.push_back(std::move(setting));
    }
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
    throw WrongUsage{option + " is one of " + names + ", got '" + text + "'"};
}

class Parser {
  public:
    explicit Parser(const std::vector<std::string> &arguments) : arguments_(arguments) {}

    Options run() {
        bool options_end = false;
        for (at_ = 0; at_ < arguments_.size(); ++at_) {
            const std::string &argument = arguments_[at_];
            if (!options_end && argument == "--")
                options_end = true;
            else if (!options_end && argument.size() > 1 && argument[0] == '-')
                option(argument);
            else
                word(argument);
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
        if (options_.command == Command::help) // `planc help cost`
            return;
        check_file_name(text);
        options_.lists.files.push_back(text);
        const bool two = options_.command == Command::diff || options_.command == Command::verify;
        const std::size_t most = options_.command == Command::sweep ? SIZE_MAX : two ? 2 : 1;
        if (options_.lists.files.size() > 1 && options_.lists.files.size() <= most)
            return;
        if (options_.command == Command::diff && options_.lists.files.size() > most)
            throw WrongUsage{"`planc diff` compares two plans, got a third file, '" + text + "'"};
        if (options_.command == Command::verify && options_.lists.files.size() > most)
            throw WrongUsage{"`planc verify` takes a certificate and a .plan file, got a third file, '" + text + "'"};
        if (!options_.file.empty())
            throw WrongUsage{"one .plan file at a time, got '" + options_.file + "' and '" + text + "'"};
        options_.file = text;
    }

    /// A text that cannot be a .plan file is reported as a misspelt command.
    void check_file_name(const std::string &text) const {
        if (text.empty())
            throw WrongUsage{"a file without a name"};
        std::error_code error;
        if (text.find_first_of("./") != std::string::npos || std::filesystem::exists(text, error))
            return;
        if (commands.contains(text))
            throw WrongUsage{"the command comes first: `planc " + text + " …`"};
        if (at_ != 0)
            return;
        std::vector<std::string> names;
        for (const auto &[name, command] : commands)
            names.push_back(name);
        const std::string near = support::nearest(text, names);
        throw WrongUsage{"there is no command and no file '" + text + "'" +
                         (near.empty() ? "" : "; did you mean `planc " + near + "`?")};
    }

    void option(const std::string &text) {
        const std::size_t equals = text.find('=');
        const bool attached = text.starts_with("--") && equals != std::string::npos;
        const std::string name = attached ? text.substr(0, equals) : text;
        if (const auto flag = flags().find(name); flag != flags().end()) {
            if (attached)
                throw WrongUsage{name + " takes no value"};
            flag->second(options_);
            return;
        }
        const auto known = valued().find(name);
        if (known == valued().end())
            throw WrongUsage{unknown(name)};
        if (!attached && at_ + 1 >= arguments_.size())
            throw WrongUsage{name + " needs a value"};
        const std::string value = attached ? text.substr(equals + 1) : arguments_[++at_];
        if (value.empty())
            throw WrongUsage{name + " needs a value, got an empty one"};
        known->second(options_, listed(name, value));
    }

    /// The value of an option that takes a list, after those that it was given before.
    std::string listed(const std::string &name, const std::string &value) {
        static constexpr std::string_view lists[] = {"--dim", "--layouts", "--machine-set", "--mesh"};
        if (std::ranges::find(lists, name) == std::end(lists))
            return value;
        std::string &all = lists_[name];
        return all += (all.empty() ? "" : ",") + value;
    }

    static std::string unknown(const std::string &name) {
        std::vector<std::string> names;
        for (const auto &[flag, set] : flags())
            names.push_back(flag);
        for (const auto &[option, set] : valued())
            names.push_back(option);
        const std::string near = support::nearest(name, names);
        std::error_code error;
        if (std::filesystem::exists(name, error))
            return "unknown option '" + name + "'; the file is './" + name + "'";
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
            {"--fast-compile", [](Options &o) { o.fast_compile = true; }},
            {"--print-ir", [](Options &o) { o.print_passes = true; }},
            {"--timing", [](Options &o) { o.timing = true; }},
            {"--quick", [](Options &o) { o.quick = true; }},
        };
        return all;
    }

    static void set_ranks(Options &options, const std::string &text) {
        if (options.command != Command::sweep && options.command != Command::diff) {
            options.ranks = whole_number("--ranks", text, most_ranks);
            return;
        }
        options.lists.ranks = whole_numbers("--ranks", text, most_ranks);
        if (options.lists.ranks.size() == 1)
            options.ranks = options.lists.ranks.front();
    }

    static void set_dimensions(Options &options, const std::string &text) {
        if (options.command == Command::sweep)
            options.lists.extents = extent_lists("--dim", text, INT64_MAX);
        else
            options.dimensions = assignments("--dim", text, INT64_MAX);
    }

    static void set_format(Options &options, const std::string &value) {
        if (options.command == Command::timeline)
            options.timeline_format = one_of("--format", timeline_formats, value);
        else
            options.format = one_of("--format", formats, value);
    }

    using Setter = std::function<void(Options &, const std::string &)>;
    static const std::map<std::string, Setter> &valued() {
        static const std::map<std::string, Setter> all{
            {"-o", [](Options &o, const std::string &v) { o.output = v; }},
            {"--emit", [](Options &o, const std::string &v) { o.emit = one_of("--emit", forms, v); }},
            {"--ranks", set_ranks},
            {"--mesh", [](Options &o, const std::string &v) { o.mesh = mesh_settings("--mesh", v); }},
            {"--dim", set_dimensions},
            {"--layout", [](Options &o, const std::string &v) { o.layout = v; }},
            {"--layouts", [](Options &o, const std::string &v) { o.lists.layouts = words("--layouts", v); }},
            {"--machine-set",
             [](Options &o, const std::string &v) { o.machine_settings = machine_settings("--machine-set", v); }},
            {"--scaling", [](Options &o, const std::string &v) { o.lists.scaling = one_of("--scaling", scalings, v); }},
            {"--machine", [](Options &o, const std::string &v) { o.machine = v; }},
            {"--data", [](Options &o, const std::string &v) { o.data = v; }},
            {"--effort", [](Options &o, const std::string &v) { o.effort = factor("--effort", v); }},
            {"--format", set_format},
            {"--profile", [](Options &o, const std::string &v) { o.profile = one_of("--profile", profiles, v); }},
            {"--why-not", [](Options &o, const std::string &v) { o.why_not = v; }},
            {"--certificate", [](Options &o, const std::string &v) { o.certificate = v; }},
            {"--schedule", [](Options &o, const std::string &v) { o.schedule = v; }},
            {"--save-schedule", [](Options &o, const std::string &v) { o.save_schedule = v; }},
            {"--trace", [](Options &o, const std::string &v) { o.trace = v; }},
            {"--cxx", [](Options &o, const std::string &v) { o.cxx = v; }},
            {"--from", [](Options &o, const std::string &v) { o.from = v; }},
            {"--measurements", [](Options &o, const std::string &v) { o.measurements = v; }},
            {"--steps", [](Options &o, const std::string &v) { o.steps = whole_number("--steps", v, most_steps); }},
            {"--smpirun", [](Options &o, const std::string &v) { o.smpirun = v; }},
            {"--mpirun", [](Options &o, const std::string &v) { o.mpirun = v; }},
        };
        return all;
    }

    void check() const {
        const Command command = options_.command;
        if (command == Command::help || command == Command::version || command == Command::list_diagnostics)
            return;
        if (command == Command::calibrate)
            return check_calibrate();
        if (options_.quick || !options_.from.empty() || !options_.measurements.empty() || options_.mpirun != "mpirun")
            throw WrongUsage{"--quick, --from, --measurements and --mpirun go with `planc calibrate`"};
        if (command != Command::simulate && (options_.steps != 1 || options_.smpirun != "smpirun"))
            throw WrongUsage{"--steps and --smpirun go with `planc simulate`"};
        if (command == Command::verify)
            return check_verify();
        if (options_.file.empty())
            throw WrongUsage{"no .plan file given"};
        check_output();
        check_report();
        check_plan();
        check_lists();
        if (command != Command::format && (options_.in_place || options_.check_only))
            throw WrongUsage{"-i and --check go with `planc fmt`"};
    }

    void check_output() const {
        const Command command = options_.command;
        if (command != Command::compile && options_.emit != Form::none)
            throw WrongUsage{"--emit goes with plain `planc FILE`"};
        if (options_.emit != Form::none && !options_.output.empty())
            throw WrongUsage{"--emit prints, -o compiles: one of them (--keep-cpp leaves the C++ beside the program)"};
        if (command != Command::compile && command != Command::plan && command != Command::sweep &&
            command != Command::timeline && !options_.output.empty())
            throw WrongUsage{"-o goes with plain `planc FILE`, `planc plan`, `planc sweep` and `planc timeline`"};
    }

    void check_report() const {
        const Command command = options_.command;
        if (!options_.trace.empty() &&
            (command != Command::timeline || options_.timeline_format != TimelineFormat::html))
            throw WrongUsage{"--trace goes with `planc timeline --format=html`"};
        if (command != Command::cost && (options_.formulas || options_.summary))
            throw WrongUsage{"--formulas and --summary go with `planc cost`"};
        if (command != Command::cost && command != Command::diff && command != Command::sweep &&
            command != Command::simulate && options_.format != ReportFormat::table)
            throw WrongUsage{"--format goes with `planc cost`, `planc diff`, `planc simulate`, `planc sweep` and "
                             "`planc timeline`"};
        if (command != Command::sweep && options_.format == ReportFormat::html)
            throw WrongUsage{"--format=html goes with `planc sweep` and `planc timeline`"};
        if ((command == Command::diff || command == Command::simulate) && options_.format == ReportFormat::csv)
            throw WrongUsage{std::string("`planc ") + (command == Command::diff ? "diff" : "simulate") +
                             "` prints a table or json"};
        if (options_.summary &&
            (options_.formulas || !options_.layout.empty() || options_.ranks || !options_.mesh.empty()))
            throw WrongUsage{
                "--summary is of the network alone: --formulas, --layout, --ranks and --mesh do not go with it"};
    }

    void check_plan() const {
        const Command command = options_.command;
        if (options_.profile != cost::Profile::exact) {
            if (command != Command::cost && command != Command::explain && command != Command::sweep)
                throw WrongUsage{"--profile goes with `planc cost`, `planc explain` and `planc sweep`: programs are "
                                 "planned with the exact profile"};
            if (options_.summary || !options_.why_not.empty())
                throw WrongUsage{"--summary and --why-not know no --profile"};
        }
        if (!options_.certificate.empty() &&
            ((command != Command::plan && command != Command::explain) || options_.profile != cost::Profile::exact))
            throw WrongUsage{"--certificate goes with `planc plan` and `planc explain`, without --profile"};
        if (command != Command::plan && !options_.save_schedule.empty())
            throw WrongUsage{"--save-schedule goes with `planc plan`"};
        if (command != Command::explain && !options_.why_not.empty())
            throw WrongUsage{"--why-not goes with `planc explain`"};
    }

    /// Only a sweep takes several values of an option, and a comparison two.
    void check_lists() const {
        const Command command = options_.command;
        const ValueLists &lists = options_.lists;
        if (!lists.layouts.empty() && !options_.layout.empty())
            throw WrongUsage{"either --layout or --layouts"};
        if (command != Command::sweep && command != Command::diff && !lists.layouts.empty())
            throw WrongUsage{"--layouts goes with `planc diff` and `planc sweep`"};
        if (command != Command::sweep && lists.scaling != Scaling::strong)
            throw WrongUsage{"--scaling goes with `planc sweep`"};
        if (command == Command::sweep && !options_.mesh.empty())
            throw WrongUsage{"`planc sweep` takes --ranks, not --mesh"};
        for (const MachineSetting &setting : options_.machine_settings)
            if (command != Command::sweep && setting.amounts.size() > 1)
                throw WrongUsage{"--machine-set: '" + setting.name +
                                 "' takes one value here; lists go with `planc sweep`"};
        if (command != Command::diff)
            return;
        if (lists.layouts.size() > 2 || lists.ranks.size() > 2)
            throw WrongUsage{"`planc diff` compares two plans: at most two of --layouts and --ranks"};
        if (lists.files.size() < 2 && lists.layouts.size() < 2 && lists.ranks.size() < 2)
            throw WrongUsage{"`planc diff` compares two plans: give two files, or two of --layouts or --ranks"};
    }

    /// `planc verify` takes the question from the certificate, not from options.
    void check_verify() const {
        if (options_.lists.files.size() != 2)
            throw WrongUsage{"`planc verify` takes a certificate and a .plan file"};
        const bool of_plans = options_.ranks || !options_.layout.empty() || !options_.machine.empty() ||
                              !options_.mesh.empty() || !options_.dimensions.empty() ||
                              !options_.machine_settings.empty() || options_.effort != 1;
        if (of_plans)
            throw WrongUsage{"`planc verify` plans for what the certificate says: ranks, mesh, layout, machine "
                             "and effort do not go with it"};
    }

    void check_calibrate() const {
        const bool of_plans = !options_.file.empty() || !options_.layout.empty() || !options_.machine.empty() ||
                              !options_.mesh.empty() || !options_.dimensions.empty() || !options_.why_not.empty();
        const bool of_reports = options_.formulas || options_.summary || options_.emit != Form::none ||
                                options_.format != ReportFormat::table || options_.profile != cost::Profile::exact;
        if (of_plans || of_reports || options_.in_place || options_.check_only || options_.keep_cpp ||
            options_.fast_compile || options_.print_passes || options_.timing)
            throw WrongUsage{
                "`planc calibrate` takes -o, --ranks, --quick, --from, --measurements, --mpirun and --cxx"};
        if (!options_.from.empty() && (options_.ranks || options_.quick || !options_.measurements.empty()))
            throw WrongUsage{
                "--from fits existing measurements: --ranks, --quick and --measurements do not go with it"};
    }

    const std::vector<std::string> &arguments_;
    std::size_t at_ = 0;
    std::map<std::string, std::string> lists_; ///< by option: the values so far
    Options options_;
};

} // namespace

std::variant<Options, std::string> parse_options(const std::vector<std::string> &arguments) {
    try {
        return Parser(arguments).run();
    } catch (const WrongUsage &usage) {
        return usage.text;
    }
}

std::string compiler_of(const Options &options) {
    if (!options.cxx.empty())
        return options.cxx;
    return options.command == Command::simulate ? "smpicxx" : "mpicxx";
}

std::string version_text() {
    return "planc 0.1\n";
}

std::string help_text() {
    return R"(planc: a compiler for parallel training plans

  planc FILE.plan [-o PROGRAM]     checks the file, chooses a plan, and compiles it to an MPI program
  planc cost FILE.plan             predicts communication and time per layer
  planc explain FILE.plan          shows the chosen plan, its alternatives, and the reasons
  planc plan FILE.plan             writes the chosen plan as a layout, which can be edited and given to --layout
  planc verify FILE FILE.plan      checks the certificate of a plan: its cost and its optimality gap
  planc diff A.plan B.plan         shows what differs between two plans, by layer
  planc sweep FILE.plan…           predicts times over ranks, batch, bandwidth, …: table, CSV or a report with plots
  planc timeline FILE.plan         shows what each rank does when, and what communication overlaps with computation
  planc simulate FILE.plan         simulates every message of the program (SimGrid) and compares with the prediction
  planc fmt FILE.plan              prints the file in canonical form
  planc calibrate [-o FILE.plan]   measures this computer and writes it as a machine for --machine
  planc help                       prints this text

FILE.plan may be a file of the standard library: std/networks/resnet50.plan. After `--` there are only files, no options.

What to plan for
  --ranks N            number of ranks; default: that of the mesh, else 1
  --mesh a=2,b=3       sizes of the mesh's axes; 'a=2,b=[1,3]': b's at each position along the pipeline's axis a
  --layout NAME        a layout of the file, or a .plan file with one; default: the one that `train` names
  --schedule FILE      the order in which a pipeline's ranks work, in place of the layout's: rows like
                       `0: F0 F1 B0 B1`, or FILE.csv as PyTorch writes it
  --machine MACHINE    a machine of the file, one of the standard library (cori, ethernet_10, ethernet_100, local,
                       skylake, skylake_cores, summit), or a .plan file with one; default: that of the mesh, else local
  --machine-set a=V,…  replaces figures of the machine: latency and bandwidth of the network; peak, memory_bandwidth
                       and memory of a rank; with units: latency=2us,bandwidth=100Gbit/s
  --dim name=N,…       extents of dimensions that the file declares or leaves open; this list, and those of
                       --mesh and --machine-set, may be in several options: --dim a=2 --dim b=3
  --data DIR           where data files are, such as those of a graph; default: as the file says
  --effort X           work of the search for a plan, as a multiple of the default: 0.1 is quicker, 10 closes more gaps

planc FILE.plan
  -o PROGRAM           compile to PROGRAM by mpicxx; without -o and --emit the file is only checked and planned
  --emit=FORM          print ast, plan, step, spmd, schedule or cpp, and stop
  --keep-cpp           keep PROGRAM.cpp beside the program
  --fast-compile       compile in half of the time, to a program that may be slower: for trials
  --cxx COMMAND        the MPI C++ compiler; default: mpicxx
  --print-ir           print the IR after every pass, on standard error
  --timing             print the seconds of each compile step, on standard error

planc cost
  --format=F           table, json or csv
  --formulas           show the formula of every figure
  --summary            show only shape, parameters and multiply-adds of every layer and in total; of graphs,
                       nonzeros and the rows that a product moves among 2 to 64 parts

planc explain
  --why-not "LAYER: DIMENSION -> AXIS"
                       show the rule that forbids it, or the time that it would add

planc timeline
  --format=F           text, svg (a picture), chrome (a trace for Perfetto and chrome://tracing), or html (a page)
  --trace FILE         with --format=html: shows below the prediction what the program has measured by its own --trace
  -o FILE              where to write; default: standard output

planc simulate
  --steps N            training steps to simulate; default: 1
  --format=F           table or json
  --cxx COMMAND        SimGrid's C++ compiler; default: smpicxx
  --smpirun COMMAND    the command that starts simulations, with its options; default: smpirun

planc plan
  -o FILE              where to write; default: standard output
  --save-schedule FILE write the pipeline's schedule too, as --schedule reads it

planc plan and planc explain
  --certificate FILE   write cost, lower bound and their proof (JSON), for planc verify

planc diff
  --layouts A,B        two layouts of one file, or one of each file
  --ranks N,M          two numbers of ranks
  --format=F           table or json

planc sweep
  Lists: --ranks 1,2,4..1024 (A..B doubles), --layouts, --dim batch=64,128, --machine-set latency=1us..8us
  --scaling=S          strong (constant batch, the default), weak (the batch grows with the ranks), both
  --format=F           table, csv, json, or html (a report with plots)
  -o FILE              where to write; default: standard output

planc cost, planc explain and planc sweep
  --profile=P          exact (the cost of what is emitted, the default), or a cost model of the literature, with its
                       own best plan: gholami18, slides21, castello19; on graphs cagnet20

planc calibrate
  --ranks N            number of ranks that measure at the same time; default: the computer's cores
  --quick              take a third of the time, with less exact rates
  --measurements FILE  write the measurements (JSON); --from FILE fits them again instead of measuring
  --mpirun COMMAND     the command that starts MPI programs, with its options; default: mpirun

planc fmt
  -i                   rewrite the file
  --check              exit with 1 if the file is not in canonical form

Others: --help, --version, --list-diagnostics
Exit codes: 0 done, 1 an error in the input, 2 wrong usage.
)";
}

} // namespace planc::driver
