// The whole way from a .plan file to C++, a line a step. The order and the invariant of each step stand in run_until().
#pragma once

#include "cost/reports/report.h"
#include "driver/files/locate.h"
#include "driver/options/options.h"
#include "driver/planning/memory_savings.h"
#include "driver/planning/request.h"
#include "driver/planning/scheduled.h"
#include "plan/plan.h"
#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/source.h"
#include "timeline/program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace planc::driver {

/// One compilation: everything that its steps have made so far.
class Pipeline {
  public:
    /// Errors, warnings and notes go to `messages`.
    explicit Pipeline(const Options &options, std::ostream &messages = std::cerr);

    /// Runs the steps up to and including the one that makes `stage`. False: an error was printed, exit_code() says
    /// which kind.
    [[nodiscard]] bool run_until(Stage stage);
    /// The steps up to the plan: all that reports need.
    [[nodiscard]] bool plan_only();
    [[nodiscard]] bool analyze_only();
    /// All steps, for a program to be simulated: planned as always, then laid out with the messages that MPI's own
    /// calls are priced as in their place, its kernels modelled. What its schedule takes in time; none: an error was
    /// printed.
    [[nodiscard]] std::optional<timeline::Program> emit_to_simulate();
    /// The steps up to the training step, and request(): what a profile of the cost model needs.
    [[nodiscard]] bool request_only();
    /// The same again for options that have changed in ranks or machine: of the same training step.
    [[nodiscard]] bool plan_anew();
    [[nodiscard]] bool request_anew();
    /// request() for a training step with these savings, which the layout asks for or a search may add.
    [[nodiscard]] bool request_with(const MemorySavings &savings);
    [[nodiscard]] int exit_code() const { return exit_code_; }

    [[nodiscard]] const sema::Program &program() const { return *program_; }
    [[nodiscard]] const std::string &network_name() const { return program_->trains.back().network; }
    [[nodiscard]] const plan::Plan &plan() const { return *plan_; }
    [[nodiscard]] const PlanRequest &request() const { return *request_; }
    [[nodiscard]] bool has_request() const { return request_.has_value(); }
    [[nodiscard]] const MemorySavings &savings() const { return savings_; }
    [[nodiscard]] mlir::ModuleOp module() { return *module_; }
    [[nodiscard]] std::int64_t arena_bytes() { return driver::arena_bytes(*module_); } ///< of the schedule
    [[nodiscard]] timeline::Program timeline_program();                                ///< of the schedule
    [[nodiscard]] cost::Overlap overlap();                                             ///< of the schedule
    /// Of plan(), of which module() need not be the schedule; left as it is for steps too long to be simulated, and
    /// where passes print. False: an error was printed.
    [[nodiscard]] bool find_step_with_overlap(std::optional<cost::Seconds> &step);
    [[nodiscard]] const std::string &cpp() const { return cpp_; }
    [[nodiscard]] const Installation &installation() const { return installation_; }
    [[nodiscard]] std::string ast_text();

  private:
    struct Step {
        Stage stage; ///< the step's result is what --emit=STAGE prints
        const char *name;
        bool (Pipeline::*run)();
    };
    static const Step steps[];

    /// Plans of nearly the price of plan_, then baselines that could be as fast, and what they come to.
    struct Candidates {
        std::vector<plan::Plan> others;
        std::vector<Scheduled> schedules; ///< of the step, of plan_, then of the others
        std::size_t near = 0;             ///< so many of the others are no baselines that were added
    };
    /// Runs what has not run yet, up to and including `last`.
    [[nodiscard]] bool run_through(const Step *last);

    [[nodiscard]] bool step_only();

    bool analyze();
    bool import();
    bool derive_step();
    bool choose_plan();
    bool lay_out();
    bool schedule();
    void warn_of_memory(mlir::ModuleOp scheduled);
    bool emit();

    /// Makes the training step anew from the imported networks.
    bool derive_with(const MemorySavings &savings);
    /// make_plan(), with further savings of memory where nothing fits without.
    bool search();
    /// Searches under a tighter limit while the scheduled program takes more than what was asked for.
    bool fit_into_memory();
    /// Takes the fastest of the plans that cost nearly the same, by the simulation of their schedules.
    bool choose_by_simulation();
    /// A step of a plan with overlap; none: it does not keep the limit on memory.
    static std::optional<cost::Seconds> simulated_step(const plan::Plan &plan, const Scheduled &scheduled);
    static bool keeps_limit(const plan::Plan &plan, std::int64_t arena_bytes);
    /// Is the choice among plans of nearly the same price worth their schedules?
    [[nodiscard]] bool may_simulate() const;
    /// candidates_; takes scheduled_ for that of plan_. False: an error was printed.
    bool schedule_candidates();
    /// Of the baselines those that take `step` at least (plan::least_step()).
    void drop_slower_baselines(Candidates &candidates, cost::Seconds step) const;
    /// Of plans for module_, which stays as it is. Empty: an error was printed.
    std::vector<Scheduled> schedules_of(const std::vector<const plan::Plan *> &plans, Extent extent);
    /// Scheduler::complete(). False: an error was printed.
    bool complete(const plan::Plan &plan, Scheduled &scheduled);
    bool is_made(const Scheduled &scheduled);
    /// Nothing asks for them any more.
    void give_back_tables();
    /// request_ for the step as it is derived now.
    bool ask();
    /// What was assumed, and where the machine has fewer ranks than are planned for.
    void tell_of_request();
    /// request_ and plan_ for it.
    bool make_plan();
    /// What fits into memory with the savings that a search may add; plan_ keeps its failure if nothing does.
    bool search_savings();

    bool fail(const std::string &line, int code);
    bool report(const support::DiagnosticKind &kind, mlir::Location where, const std::string &text);
    /// The first error of a pass is the user's of kind `users_error`, ours where there is none.
    bool run_passes(void (*add)(mlir::OpPassManager &), const support::DiagnosticKind *users_error = nullptr);

    const Options &options_;
    std::ostream &messages_;
    Installation installation_ = locate_installation();
    support::SourceFiles files_;
    support::Diagnostics diagnostics_{files_};
    std::optional<sema::Program> program_;
    mlir::MLIRContext context_;
    mlir::OwningOpRef<mlir::ModuleOp> imported_; ///< before the training step is derived
    mlir::OwningOpRef<mlir::ModuleOp> module_;
    std::optional<Scheduled> scheduled_;       ///< by plan_, where choosing it took its schedule
    std::optional<cost::Overlap> overlap_;     ///< of module_, where it was scheduled_
    std::optional<Candidates> candidates_;     ///< beside plan_, until one of them is chosen
    Extent compared_ = Extent::step_simulated; ///< what is scheduled of candidates
    std::vector<Scheduled> passed_over_;       ///< which were not: giving them back takes a while
    MemorySavings savings_;
    double memory_limit_ = 0; ///< to plan for instead of the one that was asked for; 0: that one
    std::optional<PlanRequest> request_;
    std::optional<plan::Plan> plan_;
    std::shared_ptr<const void> tables_; ///< Plan::tables of plan_, whose copies do without
    std::string cpp_;
    const Step *next_ = steps;
    int exit_code_ = 0;
};

/// A pipeline that lasts as long as the process: this ends sooner than it would give back all that a pipeline holds.
[[nodiscard]] Pipeline &lasting_pipeline(const Options &options);

} // namespace planc::driver
