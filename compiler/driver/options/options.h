// The command line of planc. Wrong usage gives exit code 2 and one line that says what is wrong.
#pragma once

#include "cost/profiles/profile.h"
#include "driver/options/value_lists.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace planc::driver {

enum class Command : std::uint8_t {
    compile,
    cost,
    explain,
    timeline,
    plan,
    verify,
    diff,
    sweep,
    simulate,
    calibrate,
    format,
    list_diagnostics,
    help,
    version
};
/// What the program is between two compile steps: what --emit prints.
enum class Form : std::uint8_t { none, ast, plan, step, spmd, schedule, cpp };
enum class ReportFormat : std::uint8_t { table, json, csv, html };
/// How the batch changes with the number of ranks: strong: constant; weak: it grows with the ranks.
enum class Scaling : std::uint8_t { strong, weak, both };

/// Options that have several values in `planc sweep` and `planc diff`. If a list is empty, the files decide.
struct ValueLists {
    std::vector<std::string> files;
    std::vector<std::int64_t> ranks;
    std::vector<std::string> layouts;
    std::vector<Extents> extents; ///< sweep: --dim
    Scaling scaling = Scaling::strong;
};

/// Of --mesh: "rows=2", or "rows=[1,3]", with a size for each position along the axis of a pipeline.
struct MeshSetting {
    std::string axis;
    std::vector<std::int64_t> sizes;
    bool is_list = false;
};

enum class TimelineFormat : std::uint8_t { text, svg, chrome, html };

struct Options {
    Command command = Command::compile;
    std::string file;                                             ///< the .plan file; diff, sweep, verify: the first
    std::string output;                                           ///< -o
    Form emit = Form::none;                                       ///< --emit
    std::optional<std::int64_t> ranks;                            ///< --ranks
    std::vector<MeshSetting> mesh;                                ///< --mesh rows=2,cols=3
    std::string layout;                                           ///< --layout: a name, or a file with one layout
    std::string machine;                                          ///< --machine: file, or std/… path
    std::vector<MachineSetting> machine_settings;                 ///< --machine-set; sweep: lists
    std::vector<std::pair<std::string, std::int64_t>> dimensions; ///< --dim batch=128
    std::string data;                                             ///< --data
    double effort = 1;                                            ///< --effort
    ValueLists lists;
    ReportFormat format = ReportFormat::table;             ///< --format
    TimelineFormat timeline_format = TimelineFormat::text; ///< --format of planc timeline
    cost::Profile profile = cost::Profile::exact;          ///< --profile
    bool formulas = false;
    bool summary = false;
    std::string certificate;         ///< plan, explain --certificate: where to write the proof
    std::string schedule;            ///< --schedule: file with the pipeline's schedule
    std::string save_schedule;       ///< plan --save-schedule: where to write it
    std::string why_not;             ///< --why-not "layer: dimension -> axis"
    std::string trace;               ///< timeline --trace: what a program has measured
    bool in_place = false;           ///< fmt -i
    bool check_only = false;         ///< fmt --check
    std::string from;                ///< calibrate --from: measurements; empty: measure
    std::string measurements;        ///< calibrate --measurements: where to write them
    bool quick = false;              ///< calibrate --quick
    std::string mpirun = "mpirun";   ///< calibrate --mpirun
    std::int64_t steps = 1;          ///< simulate --steps
    std::string smpirun = "smpirun"; ///< simulate --smpirun
    std::string cxx;                 ///< --cxx; empty: the default of the command
    bool fast_compile = false;       ///< --fast-compile: a quicker compilation, a slower program
    bool keep_cpp = false;           ///< --keep-cpp: keep OUTPUT.cpp beside the executable
    bool print_passes = false;       ///< --print-ir: the IR after every pass, on standard error
    bool timing = false;             ///< --timing: seconds per compile step, on standard error
};

/// The options, or the line that says what is wrong with them.
[[nodiscard]] std::variant<Options, std::string> parse_options(const std::vector<std::string> &arguments);

/// The compiler for emitted programs: --cxx, else mpicxx, or smpicxx for programs to be simulated.
[[nodiscard]] std::string compiler_of(const Options &options);

[[nodiscard]] std::string help_text();
[[nodiscard]] std::string version_text();

} // namespace planc::driver
