#include "driver/compilation.h"

#include "cost/reports/report.h"
#include "driver/commands/commands.h"
#include "driver/emit_info.h"
#include "driver/files/read_file.h"
#include "driver/planning/schedule_file.h"
#include "emit/emit.h"
#include "ir/import.h"
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

namespace planc::driver {

namespace {

/// Prints how long a compile step took, if asked to.
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

Compilation::Compilation(const Options &options, std::ostream &messages)
    : options_(options), messages_(messages), context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    context_.printOpOnDiagnostic(false);
}

const Compilation::CompileStep Compilation::compile_steps[] = {
    // names resolved, every extent a number, layers elaborated away
    {Form::none, "analyze", &Compilation::analyze},
    // the networks as functions of the plan dialect; every operation has its layer and place
    {Form::plan, "import", &Compilation::import},
    // @train, @evaluate, @predict: loop nests only, with gradients and updates
    {Form::step, "derive step", &Compilation::derive_step},
    // a mesh with sizes and a strategy per layer: attributes of the module
    {Form::none, "plan", &Compilation::choose_plan},
    // every tensor type has a layout; collectives are operations
    {Form::spmd, "lay out", &Compilation::lay_out},
    // starts and waits, buckets, fused loops, buffers, the table of actions
    {Form::schedule, "schedule", &Compilation::schedule},
    // the program's text
    {Form::cpp, "emit", &Compilation::emit},
};

bool Compilation::run_until(Form form) {
    for (const CompileStep &step : compile_steps)
        if (step.form == form)
            return run_through(&step);
    return false;
}

bool Compilation::run_until(bool (Compilation::*run)()) {
    return run_through(std::find_if(std::begin(compile_steps), std::end(compile_steps),
                                    [run](const CompileStep &step) { return step.run == run; }));
}

bool Compilation::analyze_only() {
    return run_until(&Compilation::analyze);
}

bool Compilation::plan_only() {
    return run_until(&Compilation::choose_plan);
}

bool Compilation::step_only() {
    return run_until(&Compilation::derive_step);
}

bool Compilation::run_through(const CompileStep *last) {
    for (; next_ <= last; ++next_) {
        if (next_ == last && next_->form == Form::spmd) // the program before it is scheduled was requested
            schedule_.reset();
        const Timer timer(options_.timing, next_->name);
        if (!(this->*next_->run)())
            return false;
    }
    return true;
}

bool Compilation::fail(const std::string &line, int code) {
    messages_ << "planc: " << line << '\n';
    exit_code_ = code;
    return false;
}

std::string Compilation::ast_text() {
    std::string text;
    if (std::string error = read_file(options_.file, text); !error.empty()) {
        fail(error, input_error);
        return {};
    }
    const auto file = syntax::parse(files_.add(options_.file, text), files_, diagnostics_);
    messages_ << diagnostics_.take_rendered();
    if (!file) {
        exit_code_ = input_error;
        return {};
    }
    return syntax::print_ast(*file);
}

bool Compilation::analyze() {
    sema::Options sema_options;
    sema_options.stdlib_directory = installation_.stdlib;
    sema_options.data_directory = options_.data;
    if (is_layout_file(options_.layout))
        sema_options.layout_file = options_.layout;
    for (const auto &[name, extent] : options_.dimensions)
        sema_options.dimension_overrides[name] = extent;
    program_ = sema::analyze(options_.file, files_, diagnostics_, sema_options).program;
    messages_ << diagnostics_.take_rendered();
    if (!program_) {
        exit_code_ = input_error;
        return false;
    }
    if (!options_.schedule.empty())
        if (const std::string error = take_schedule(*program_, options_); !error.empty())
            return fail(error, input_error);
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

bool Compilation::import() {
    if (program_->trains.empty())
        imported_ = ir::import_networks(*program_, files_, context_);
    else
        imported_ = ir::import_program(*program_, program_->trains.back(), files_, context_);
    if (!imported_ || failed(mlir::verify(*imported_)))
        return fail("internal error: the imported network is not well formed; please report the .plan file",
                    input_error);
    module_ = *imported_;
    return true;
}

bool Compilation::report(const support::DiagnosticKind &kind, mlir::Location where, const std::string &text) {
    support::SourceRange range;
    if (const auto place = mlir::dyn_cast<mlir::FileLineColLoc>(where))
        range = range_of(files_, place.getFilename().str(), static_cast<int>(place.getLine()),
                         static_cast<int>(place.getColumn()));
    support::Diagnostic &error = diagnostics_.report(kind, range, {text});
    const sema::Layout *layout = layout_of(*program_, options_);
    if (layout && layout->microbatches) // the passes reject nothing else that the user writes
        error.note(layout->microbatches_where, "micro-batches are asked for here");
    messages_ << diagnostics_.take_rendered();
    exit_code_ = input_error;
    return false;
}

bool Compilation::lay_out() {
    if (schedule_ || (lay_out_by(*plan_, request().request.machine, module_) && succeeded(mlir::verify(module_))))
        return true;
    return fail(not_laid_out, input_error);
}

timeline::Program Compilation::timeline_program() {
    return timeline::read_schedule(module_, request().request.machine);
}

cost::Overlap Compilation::overlap() {
    if (!overlap_)
        overlap_ = overlap_of(module_, request().request.machine);
    return *overlap_;
}

bool Compilation::schedule() {
    overlap_.reset();
    if (schedule_) {
        module_ = *module_of(*schedule_).module;
        overlap_ = schedule_->overlap;
    } else if (const auto error = schedule_program(module_, request().request.machine,
                                                   request().request.memory_limit_bytes, options_.print_passes)) {
        return fail(internal_error(*error), input_error);
    }
    warn_of_memory();
    return true;
}

/// Warns if a rank's program, whose size is exact, exceeds the machine's memory. The plan's own warning rests on an
/// estimate.
void Compilation::warn_of_memory() {
    const cost::Machine &machine = request().request.machine;
    const auto needed = static_cast<double>(memory().all);
    if (plan_->warning.empty() && machine.memory_bytes > 0 && needed > machine.memory_bytes)
        messages_ << "planc: warning: layout '" << request().layout << "' needs "
                  << cost::human_bytes(cost::Bytes(needed)) << " a rank, machine '" << machine.name << "' has "
                  << cost::human_bytes(cost::Bytes(machine.memory_bytes)) << '\n';
}

std::optional<timeline::Program> Compilation::emit_to_simulate() {
    if (!plan_only())
        return std::nullopt;
    cost::Machine &machine = step_->request().machine;
    if (!machine.collectives.empty())
        messages_ << "planc: note: the measured times of collectives on machine '" << machine.name
                  << "' decided on the plan; here they take the time of their messages on its links\n";
    machine = cost::by_messages(machine);
    schedule_.reset(); // it was made for the original machine
    if (!run_until(Form::schedule))
        return std::nullopt;
    timeline::ReadSchedule schedule = timeline::read_whole_schedule(module_, machine);
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
    emit::EmitInfo info = emit_info(*program_, request(), *plan_, files_);
    info.modelled = std::move(modelled);
    cpp_ = emit::emit_cpp(module_, info);
    return std::move(schedule.program);
}

bool Compilation::emit() {
    cpp_ = emit::emit_cpp(module_, emit_info(*program_, request(), *plan_, files_));
    return true;
}

bool Compilation::run_passes(mlir::ModuleOp module, void (*add)(mlir::OpPassManager &),
                             const support::DiagnosticKind *users_error) {
    const std::optional<PassError> error = driver::run_passes(module, add, options_.print_passes);
    if (!error)
        return true;
    if (!error->text.empty() && users_error != nullptr)
        return report(*users_error, error->where, error->text);
    return fail(internal_error(*error), input_error);
}

} // namespace planc::driver
