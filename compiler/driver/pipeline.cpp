#include "driver/pipeline.h"

#include "autodiff/passes.h"
#include "cost/reports/report.h"
#include "driver/commands/commands.h"
#include "driver/emit_info.h"
#include "driver/files/read_file.h"
#include "driver/planning/request.h"
#include "emit/emit.h"
#include "ir/import.h"
#include "plan/ranks_at_work.h"
#include "schedule/schedule.h"
#include "sema/analyze.h"
#include "syntax/parse.h"
#include "syntax/print.h"
#include "timeline/read_schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <thread>

namespace planc::driver {

namespace {

/// Prints how long a step took, if asked to.
class Timer {
  public:
    Timer(bool on, const char *what) : on_(on), what_(what), begin_(std::chrono::steady_clock::now()) {}
    ~Timer() {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
        if (on_)
            std::cerr << "planc: " << std::left << std::setw(14) << what_ << std::fixed << std::setprecision(4)
                      << seconds.count() << " s\n";
    }
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;

  private:
    bool on_;
    const char *what_;
    std::chrono::steady_clock::time_point begin_;
};

PLANC_DIAGNOSTIC(microbatches_mix, error, "{0}");
PLANC_DIAGNOSTIC(machine_too_small, warning,
                 "machine '{0}' has {1} ranks, the plan is for {2}: priced as if there were more of the same"); // M5

/// None: a star whose nodes nobody counted joins any number.
std::optional<std::int64_t> ranks_of(const sema::Machine &machine) {
    std::int64_t ranks = 1;
    for (const sema::Link &level : machine.levels)
        ranks *= level.units;
    if (ranks == 1 && machine.levels.size() == 1 && machine.levels.front().topology == "star")
        return std::nullopt;
    return ranks;
}

support::SourceRange range_of(const support::SourceFiles &files, const std::string &path, int line, int column) {
    for (support::FileId id = 0; id < files.count(); ++id) {
        const support::SourceFile &file = files.file(id);
        if (file.path == path && line >= 1 && line <= static_cast<int>(file.line_starts.size())) {
            const std::int32_t begin = file.line_starts[static_cast<std::size_t>(line - 1)] + column - 1;
            return {id, begin, begin + 1};
        }
    }
    return {};
}

std::string hint(const std::string &name, const std::map<std::string, std::int64_t> &known) {
    std::vector<std::string> names;
    for (const auto &[candidate, extent] : known)
        names.push_back(candidate);
    const std::string near = support::nearest(name, names);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

} // namespace

Pipeline::Pipeline(const Options &options, std::ostream &messages)
    : options_(options), messages_(messages), context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    context_.printOpOnDiagnostic(false);
}

const Pipeline::Step Pipeline::steps[] = {
    // names resolved, every extent a number, layers elaborated away
    {Stage::none, "analyze", &Pipeline::analyze},
    // the networks as functions of the plan dialect; every operation has its layer and place
    {Stage::plan, "import", &Pipeline::import},
    // @train, @evaluate, @predict: loop nests only, with gradients and updates
    {Stage::step, "derive step", &Pipeline::derive_step},
    // a mesh with sizes and a strategy per layer: attributes of the module
    {Stage::none, "plan", &Pipeline::choose_plan},
    // every tensor type has a layout; collectives are operations
    {Stage::spmd, "lay out", &Pipeline::lay_out},
    // starts and waits, buckets, fused loops, buffers, the table of actions
    {Stage::schedule, "schedule", &Pipeline::schedule},
    // the program's text
    {Stage::cpp, "emit", &Pipeline::emit},
};

bool Pipeline::run_until(Stage stage) {
    for (const Step &step : steps)
        if (step.stage == stage)
            return run_through(&step);
    return false;
}

bool Pipeline::analyze_only() {
    return run_through(&steps[0]);
}

bool Pipeline::plan_only() {
    const Step *choose = std::find_if(std::begin(steps), std::end(steps),
                                      [](const Step &step) { return step.run == &Pipeline::choose_plan; });
    return run_through(choose);
}

bool Pipeline::step_only() {
    return run_through(std::find_if(std::begin(steps), std::end(steps),
                                    [](const Step &step) { return step.run == &Pipeline::derive_step; }));
}

bool Pipeline::plan_anew() {
    if (!step_only())
        return false;
    memory_limit_ = 0;
    const MemorySavings pinned = savings_of(layout_of(*program_, options_));
    return (savings_ == pinned || derive_with(pinned)) && choose_plan();
}

bool Pipeline::request_anew() {
    return step_only() && ask();
}

bool Pipeline::request_only() {
    if (!step_only() || !ask())
        return false;
    tell_of_request();
    return true;
}

void Pipeline::tell_of_request() {
    for (const std::string &note : request_->notes)
        messages_ << "planc: note: " << note << '\n';
    const sema::Machine &machine = request_->machine.declared;
    const std::optional<std::int64_t> has = ranks_of(machine);
    const int wanted = request_->request.ranks;
    if (!has || wanted <= *has)
        return;
    support::Diagnostics warning(files_);
    warning.report(machine_too_small, machine.where, {machine.name, std::to_string(*has), std::to_string(wanted)});
    messages_ << warning.render();
}

bool Pipeline::run_through(const Step *last) {
    for (; next_ <= last; ++next_) {
        if (next_ == last && next_->stage == Stage::spmd) // wanted as it is before it is scheduled
            scheduled_.reset();
        const Timer timer(options_.timing, next_->name);
        if (!(this->*next_->run)())
            return false;
    }
    return true;
}

bool Pipeline::fail(const std::string &line, int code) {
    messages_ << "planc: " << line << '\n';
    exit_code_ = code;
    return false;
}

std::string Pipeline::ast_text() {
    std::string text;
    if (std::string error = read_file(options_.file, text); !error.empty()) {
        fail(error, input_error);
        return {};
    }
    const auto file = syntax::parse(files_.add(options_.file, text), files_, diagnostics_);
    messages_ << diagnostics_.render();
    if (!file) {
        exit_code_ = input_error;
        return {};
    }
    return syntax::print_ast(*file);
}

bool Pipeline::analyze() {
    sema::Options sema_options;
    sema_options.stdlib_directory = installation_.stdlib;
    if (is_layout_file(options_.layout))
        sema_options.layout_file = options_.layout;
    for (const auto &[name, extent] : options_.dimensions)
        sema_options.dimension_overrides[name] = extent;
    program_ = sema::analyze(options_.file, files_, diagnostics_, sema_options);
    messages_ << diagnostics_.render();
    if (!program_) {
        exit_code_ = input_error;
        return false;
    }
    if (program_->trains.empty() && program_->networks.empty() && !options_.dimensions.empty())
        return fail("--dim: '" + options_.file + "' has no network; layers get their dimensions where they are called",
                    usage_error);
    for (const auto &[name, extent] : options_.dimensions)
        if (!program_->dimensions.contains(name))
            return fail("--dim: '" + options_.file + "' declares no dimension '" + name + "'" +
                            hint(name, program_->dimensions),
                        usage_error);
    return true;
}

bool Pipeline::import() {
    if (program_->trains.empty())
        module_ = ir::import_networks(*program_, files_, context_);
    else
        module_ = ir::import_program(*program_, program_->trains.back(), files_, context_);
    if (!module_ || failed(mlir::verify(*module_)))
        return fail("internal error: the imported network is not well formed; please report the .plan file",
                    input_error);
    return true;
}

bool Pipeline::derive_step() {
    if (program_->trains.empty())
        return fail("'" + options_.file + "' has no `train` declaration: there is no step to plan" +
                        (options_.command == Command::cost ? "; --summary describes a network alone" : ""),
                    input_error);
    imported_ = std::move(module_);
    return derive_with(savings_of(layout_of(*program_, options_)));
}

bool Pipeline::derive_with(const MemorySavings &savings) {
    const sema::Network &network = program_->trains.back().loss;
    savings_ = savings;
    scheduled_.reset();
    module_ = imported_->clone();
    set_savings(*module_, network, savings);
    const auto add = [](mlir::OpPassManager &passes) { autodiff::add_passes(passes); };
    return savings.microbatches > 1 ? run_passes(add, &microbatches_mix) : run_passes(add);
}

bool Pipeline::report(const support::DiagnosticKind &kind, mlir::Location where, const std::string &text) {
    support::SourceRange range;
    if (const auto place = mlir::dyn_cast<mlir::FileLineColLoc>(where))
        range = range_of(files_, place.getFilename().str(), static_cast<int>(place.getLine()),
                         static_cast<int>(place.getColumn()));
    diagnostics_.report(kind, range, {text});
    messages_ << diagnostics_.render();
    exit_code_ = input_error;
    return false;
}

/// Beside what follows, or not at all where the process ends before.
void Pipeline::give_back_tables() {
    if (tables_)
        std::thread([tables = std::move(tables_)]() mutable { tables.reset(); }).detach();
}

bool Pipeline::choose_plan() {
    scheduled_.reset();
    candidates_.reset();
    if (!search() || !fit_into_memory())
        return false;
    if (!plan_->failure.empty())
        return fail("layout '" + request_->layout + "': " + plan_->failure, input_error);
    if (!choose_by_simulation())
        return false;
    if (compared_ == Extent::step_simulated && scheduled_ &&
        !keeps_limit(*plan_, driver::arena_bytes(*scheduled_->module))) {
        compared_ = Extent::all_simulated; // it is not the step that needs the most memory
        return plan_anew();
    }
    tell_of_request();
    if (!plan_->warning.empty())
        messages_ << "planc: warning: layout '" << request_->layout << "' " << plan_->warning << '\n';
    if (const std::string idle = plan::warning_of_idle_ranks(request_->request.graph, *plan_); !idle.empty())
        messages_ << "planc: warning: layout '" << request_->layout << "' " << idle << '\n';
    give_back_tables();
    set_plan(*module_, request_->request.graph, *plan_);
    if (options_.print_passes) // of the plan that was chosen all passes print, behind what was looked at
        scheduled_.reset();
    return true;
}

bool Pipeline::ask() {
    auto made = make_request(*program_, *module_, options_, installation_, files_, diagnostics_);
    messages_ << diagnostics_.render();
    if (const auto *wrong = std::get_if<RequestError>(&made)) {
        if (!wrong->line.empty())
            return fail(wrong->line, wrong->exit_code);
        exit_code_ = wrong->exit_code;
        return false;
    }
    request_ = std::get<PlanRequest>(std::move(made));
    const Command command = options_.command;
    request_->request.runner_ups = command == Command::explain || command == Command::plan; // which show them
    return true;
}

bool Pipeline::make_plan() {
    if (!ask())
        return false;
    if (memory_limit_ > 0)
        request_->request.memory_limit_bytes = memory_limit_;
    tables_.reset();
    plan_ = plan::make_plan(request_->request);
    tables_ = std::move(plan_->tables);
    return true;
}

bool Pipeline::lay_out() {
    if (scheduled_ || (lay_out_by(*plan_, request_->request.machine, *module_) && succeeded(mlir::verify(*module_))))
        return true;
    return fail(not_laid_out, input_error);
}

timeline::Program Pipeline::timeline_program() {
    return timeline::read_schedule(*module_, request_->request.machine);
}

cost::Overlap Pipeline::overlap() {
    if (!overlap_)
        overlap_ = overlap_of(*module_, request_->request.machine);
    return *overlap_;
}

bool Pipeline::schedule() {
    overlap_.reset();
    if (scheduled_) {
        module_ = std::move(scheduled_->module);
        overlap_ = scheduled_->overlap;
        scheduled_.reset();
    } else if (!run_passes([](mlir::OpPassManager &passes) { schedule::add_passes(passes); })) {
        return false;
    }
    warn_of_memory(*module_);
    return true;
}

std::vector<Scheduled> Pipeline::schedules_of(const std::vector<const plan::Plan *> &plans, Extent extent) {
    std::vector<Scheduled> made = Scheduler(*module_, request_->request, options_.print_passes).of(plans, extent);
    if (std::all_of(made.begin(), made.end(), [this](const Scheduled &each) { return is_made(each); }))
        return made;
    return {};
}

bool Pipeline::complete(const plan::Plan &plan, Scheduled &scheduled) {
    Scheduler(*module_, request_->request, options_.print_passes).complete(plan, scheduled);
    return is_made(scheduled);
}

bool Pipeline::is_made(const Scheduled &scheduled) {
    return scheduled.error.empty() || fail(scheduled.error, input_error);
}

/// The arena is exact where the plan's warning rests on an estimate.
void Pipeline::warn_of_memory(mlir::ModuleOp scheduled) {
    const cost::Machine &machine = request_->request.machine;
    const auto needed = static_cast<double>(driver::arena_bytes(scheduled));
    if (plan_->warning.empty() && machine.memory_bytes > 0 && needed > machine.memory_bytes)
        messages_ << "planc: warning: layout '" << request_->layout << "' needs "
                  << cost::human_bytes(cost::Bytes(needed)) << " a rank, machine '" << machine.name << "' has "
                  << cost::human_bytes(cost::Bytes(machine.memory_bytes)) << '\n';
}

std::optional<timeline::Program> Pipeline::emit_to_simulate() {
    if (!plan_only())
        return std::nullopt;
    cost::Machine &machine = request_->request.machine;
    if (!machine.collectives.empty())
        messages_ << "planc: note: what was measured of collectives on machine '" << machine.name
                  << "' decided on the plan; here they take what their messages take on its links\n";
    machine = cost::by_messages(machine);
    scheduled_.reset(); // of the machine as it was
    if (!run_until(Stage::schedule))
        return std::nullopt;
    timeline::ReadSchedule schedule = timeline::read_whole_schedule(*module_, machine);
    emit::EmitInfo::Modelled modelled;
    modelled.kernel = [&schedule](mlir::Operation *op) {
        const auto known = schedule.kernels.find(op);
        return known == schedule.kernels.end() ? -1 : known->second;
    };
    for (const timeline::Kernel &kernel : schedule.program.kernels) {
        modelled.names.push_back(kernel.name);
        std::vector<double> &seconds = modelled.seconds.emplace_back();
        for (const timeline::Seconds of_class : kernel.seconds)
            seconds.push_back(of_class.value);
    }
    modelled.class_of_rank = schedule.class_of_rank;
    emit::EmitInfo info = emit_info(*program_, *request_, *plan_, files_);
    info.modelled = std::move(modelled);
    cpp_ = emit::emit_cpp(*module_, info);
    return std::move(schedule.program);
}

bool Pipeline::emit() {
    cpp_ = emit::emit_cpp(*module_, emit_info(*program_, *request_, *plan_, files_));
    return true;
}

bool Pipeline::run_passes(void (*add)(mlir::OpPassManager &), const support::DiagnosticKind *users_error) {
    const std::optional<PassError> error = driver::run_passes(*module_, add, options_.print_passes);
    if (!error)
        return true;
    if (!error->text.empty() && users_error != nullptr)
        return report(*users_error, error->where, error->text);
    return fail(internal_error(*error), input_error);
}

Pipeline &lasting_pipeline(const Options &options) {
    return *std::make_unique<Pipeline>(options).release();
}

} // namespace planc::driver
