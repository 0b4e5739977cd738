// The compile steps that derive the training step and choose its plan.
#include "driver/compilation.h"

#include "autodiff/passes.h"
#include "driver/commands/commands.h"
#include "driver/planning/progress_line.h"
#include "driver/planning/savings.h"
#include "ir/pipeline_attribute.h"
#include "ir/plan_dialect.h"
#include "plan/space/ranks_at_work.h"
#include "sema/layouts/batch.h"

#include <algorithm>

namespace planc::driver {

namespace {

PLANC_DIAGNOSTIC(microbatches_mix, error, "{0}");
PLANC_DIAGNOSTIC(entries_as_tensor, error, "{0}");                                                 // O22
PLANC_DIAGNOSTIC(loss_of_others, error, "{0}");                                                    // T8
PLANC_DIAGNOSTIC(cannot_sample, error, "{0}");                                                     // R8
PLANC_DIAGNOSTIC(profile_of_samples, error, "profile cagnet20 does not price sampled neighbours"); // R8
PLANC_DIAGNOSTIC(profile_of_covers, error, "profile cagnet20 does not price minimal covers");      // P15
PLANC_DIAGNOSTIC(
    clipped_by_stage, error,
    "'clip_norm' needs the gradients of all stages, but each updates its weights on its own within the step"); // P8
PLANC_DIAGNOSTIC(machine_too_small, warning,
                 "machine '{0}' has {1} ranks, the plan is for {2}: priced as if there were more of the same"); // M5

/// None if the number of nodes is not given: a star then joins any number.
std::optional<std::int64_t> ranks_of(const sema::Machine &machine) {
    std::int64_t ranks = 1;
    for (const sema::Link &level : machine.levels)
        ranks *= level.units;
    if (ranks == 1 && machine.levels.size() == 1 && machine.levels.front().topology == "star")
        return std::nullopt;
    return ranks;
}

} // namespace

bool Compilation::derive_step() {
    if (program_->trains.empty())
        return fail("'" + options_.file + "' has no `train` declaration: there is no step to plan" +
                        (options_.command == Command::cost ? "; --summary describes a network alone" : ""),
                    input_error);
    const auto refuse = [&](const support::DiagnosticKind &kind, const support::SourceRange &where) {
        diagnostics_.report(kind, where, {});
        messages_ << diagnostics_.take_rendered();
        exit_code_ = input_error;
        return false;
    };
    const sema::Layout *layout = layout_of(*program_, options_);
    const sema::Train &train = program_->trains.back();
    if (updates_of(layout) != pipeline::Updates{} && train.optimizer.clip_norm > 0)
        return refuse(clipped_by_stage, layout->pipeline->schedule_where);
    if (options_.profile == cost::Profile::cagnet20 && train.batch_vertices > 0)
        return refuse(profile_of_samples, train.sampling_where);
    if (options_.profile == cost::Profile::cagnet20 && layout != nullptr && layout->cover)
        return refuse(profile_of_covers, layout->cover_where);
    pinned_ = derive_module(pinned_savings());
    if (!pinned_)
        return false;
    module_ = *pinned_->module;
    return true;
}

planning::MemorySavings Compilation::pinned_savings() const {
    return savings_of(layout_of(*program_, options_));
}

std::shared_ptr<DerivedModule> Compilation::derive_module(const planning::MemorySavings &savings) {
    const pipeline::Updates updates = updates_of(layout_of(*program_, options_));
    if (pinned_ && pinned_->savings == savings && pinned_->updates == updates) {
        (*pinned_->module)->removeAttr("plan.pipeline"); // of another plan, whose stages it would get
        return pinned_;
    }
    auto derived = std::make_shared<DerivedModule>(DerivedModule{imported_->clone(), savings, updates});
    set_savings(*derived->module, program_->trains.back(), savings);
    ir::set_updates(*derived->module, updates);
    const auto add =
        options_.profile == cost::Profile::cagnet20 ? autodiff::add_passes_as_written : autodiff::add_passes;
    const bool has_edges =
        derived->module->walk([](ir::EdgesOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
    auto loss = derived->module->lookupSymbol<mlir::func::FuncOp>("loss");
    const bool has_all_samples = loss && loss->hasAttr("plan.all_samples");
    const support::DiagnosticKind *users_error = savings.microbatches > 1                     ? &microbatches_mix
                                                 : program_->trains.back().batch_vertices > 0 ? &cannot_sample
                                                 : has_edges                                  ? &entries_as_tensor
                                                 : has_all_samples                            ? &loss_of_others
                                                                                              : nullptr;
    return run_passes(*derived->module, add, users_error) ? derived : nullptr;
}

/// A loss may need the whole batch.
bool Compilation::may_divide() {
    const mlir::OwningOpRef<mlir::ModuleOp> tried(imported_->clone());
    set_savings(*tried, program_->trains.back(), {2, {}});
    return !driver::run_passes(*tried, [](mlir::OpPassManager &passes) { autodiff::add_passes(passes); }, false);
}

/// Batch normalisation takes its statistics from each micro-batch.
bool Compilation::may_accumulate() {
    bool same = true;
    imported_->walk([&same](ir::BatchNormOp) { same = false; });
    return same && may_divide();
}

std::shared_ptr<DerivedStep> Compilation::derive(const planning::MemorySavings &savings) {
    std::shared_ptr<DerivedModule> derived = derive_module(savings);
    if (!derived)
        return nullptr;
    auto made = make_request(*program_, *derived->module, options_, installation_, files_, diagnostics_);
    messages_ << diagnostics_.take_rendered();
    if (const auto *wrong = std::get_if<RequestError>(&made)) {
        if (!wrong->line.empty())
            fail(wrong->line, wrong->exit_code);
        exit_code_ = wrong->exit_code;
        return nullptr;
    }
    const Command command = options_.command;
    auto &request = std::get<PlanRequest>(made);
    request.request.runner_ups = command == Command::explain || command == Command::plan; // which show them
    return std::make_shared<DerivedStep>(std::move(derived), std::move(request), options_.print_passes,
                                         [this](const std::string &line) { fail(line, input_error); });
}

bool Compilation::ask(const planning::MemorySavings &savings) {
    std::shared_ptr<DerivedStep> step = derive(savings);
    if (!step)
        return false;
    step_ = std::move(step);
    return true;
}

bool Compilation::choose_plan() {
    auto line = std::make_unique<ProgressLine>();
    const auto derive_and_show = [&](const planning::MemorySavings &savings) {
        std::shared_ptr<DerivedStep> step = derive(savings);
        if (step)
            step->request().progress = [&line](const plan::Progress &progress) { line->show(progress); };
        return step;
    };
    planning::Tools tools;
    tools.derive = derive_and_show;
    tools.may_divide = [this] { return may_divide(); };
    tools.may_accumulate = [this] { return may_accumulate(); };
    tools.may_cover = [this](std::int64_t parts) { return may_cover(program_->trains.back(), parts); };
    tools.blocks = blocks_of(program_->trains.back().loss);
    const planning::MemorySavings pinned = pinned_savings();
    const bool changes = updates_of(layout_of(*program_, options_)) != pipeline::Updates{};
    planning::PlanSearch search(std::move(tools), pinned,
                                changes ? pinned.microbatches : sema::batch_of(program_->trains.back()).value_or(1));
    std::optional<planning::Answer> answer = search.run();
    line.reset();
    if (!answer)
        return false;
    answer->step->request().progress = nullptr;
    take(*std::move(answer));
    if (!plan_->failure.empty())
        return fail("layout '" + request().layout + "': " + plan_->failure, input_error);
    tell_of_request();
    if (!plan_->warning.empty())
        messages_ << "planc: warning: layout '" << request().layout << "' " << plan_->warning << '\n';
    if (const std::string idle = plan::warning_of_idle_ranks(request().request.graph, *plan_); !idle.empty())
        messages_ << "planc: warning: layout '" << request().layout << "' " << idle << '\n';
    set_plan(module_, request().request.graph, *plan_);
    if (options_.print_passes) // all passes print for the chosen plan, after those of other candidates
        schedule_.reset();
    return true;
}

void Compilation::take(planning::Answer answer) {
    step_ = std::static_pointer_cast<DerivedStep>(std::move(answer.step));
    module_ = step_->module();
    plan_ = std::move(answer.plan);
    schedule_ = std::move(answer.schedule);
}

bool Compilation::find_step_with_overlap(std::optional<cost::Seconds> &step) {
    if (!plan::may_be_simulated(request().request.graph) || options_.print_passes)
        return true;
    if (!schedule_) {
        std::vector<planning::Scheduled> made = step_->schedule({&*plan_}, planning::Wanted::simulated_program);
        if (made.empty())
            return false;
        schedule_ = std::move(made.front());
    }
    if (!schedule_->overlap)
        step_->simulate(*schedule_);
    step = schedule_->overlap->step;
    return true;
}

bool Compilation::plan_anew() {
    return step_only() && choose_plan();
}

bool Compilation::request_anew() {
    return step_only() && ask(pinned_savings());
}

bool Compilation::request_with(const planning::MemorySavings &savings) {
    if (!step_only())
        return false;
    const planning::MemorySavings pinned = pinned_savings();
    const std::vector<planning::MemorySavings> more =
        planning::further_savings(pinned, sema::batch_of(program_->trains.back()).value_or(1));
    planning::MemorySavings uncovered = savings;
    if (pinned.cover == 0 && savings.cover > 0 && may_cover(program_->trains.back(), savings.cover))
        uncovered.cover = 0;
    if (uncovered != pinned && std::find(more.begin(), more.end(), uncovered) == more.end())
        return fail("no plan of '" + options_.file + "' has these micro-batches, recomputations and covers",
                    input_error);
    return ask(savings);
}

bool Compilation::request_only() {
    if (!step_only() || !ask(pinned_savings()))
        return false;
    tell_of_request();
    return true;
}

void Compilation::tell_of_request() {
    for (const std::string &note : request().notes)
        messages_ << "planc: note: " << note << '\n';
    const sema::Machine &machine = request().machine.declared;
    const std::optional<std::int64_t> has = ranks_of(machine);
    const int wanted = request().request.ranks;
    if (!has || wanted <= *has)
        return;
    support::Diagnostics warning(files_);
    warning.report(machine_too_small, machine.where, {machine.name, std::to_string(*has), std::to_string(wanted)});
    messages_ << warning.render();
}

} // namespace planc::driver
