// The whole way from a .plan file to C++. Compilation::compile_steps lists the compile steps in order, with what holds
// after each of them.
#pragma once

#include "cost/reports/report.h"
#include "driver/files/locate.h"
#include "driver/options/options.h"
#include "driver/planning/derived_step.h"
#include "driver/planning/request.h"
#include "plan/plan.h"
#include "planning/plan_search.h"
#include "schedule/matrix_memory.h"
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

/// One compilation: everything that its compile steps have made so far.
class Compilation {
  public:
    /// Errors, warnings and notes go to `messages`.
    explicit Compilation(const Options &options, std::ostream &messages = std::cerr);

    /// Runs the compile steps up to and including the one that makes `form`. False: an error was printed, exit_code()
    /// says which kind.
    [[nodiscard]] bool run_until(Form form);
    /// Runs the steps up to the plan, which is all that reports need.
    [[nodiscard]] bool plan_only();
    [[nodiscard]] bool analyze_only();
    /// Runs all steps for a program that is to be simulated. It is planned as usual, but MPI's own calls are then
    /// replaced by the messages as which they are priced, and kernels are modelled. Returns its schedule with times;
    /// none if an error was printed.
    [[nodiscard]] std::optional<timeline::Program> emit_to_simulate();
    /// Runs the steps up to the training step and makes request(), which is all that a profile of the cost model needs.
    [[nodiscard]] bool request_only();
    /// Plans the same training step again after the ranks or the machine in the options have changed.
    [[nodiscard]] bool plan_anew();
    [[nodiscard]] bool request_anew();
    /// Makes request() for a training step with these savings, which the layout asks for or a search may add.
    [[nodiscard]] bool request_with(const planning::MemorySavings &savings);
    [[nodiscard]] int exit_code() const { return exit_code_; }

    [[nodiscard]] const sema::Program &program() const { return *program_; }
    [[nodiscard]] const std::string &network_name() const { return program_->trains.back().network; }
    [[nodiscard]] const plan::Plan &plan() const { return *plan_; }
    [[nodiscard]] const PlanRequest &request() const { return step_->plan_request(); }
    [[nodiscard]] bool has_request() const { return step_ != nullptr; }
    [[nodiscard]] const planning::MemorySavings &savings() const { return step_->savings(); }
    [[nodiscard]] mlir::ModuleOp module() const { return module_; }
    [[nodiscard]] std::int64_t arena_bytes() const { return driver::arena_bytes(module_); }      ///< of the schedule
    [[nodiscard]] schedule::RankMemory memory() const { return schedule::rank_memory(module_); } ///< of the schedule
    [[nodiscard]] timeline::Program timeline_program();                                          ///< of the schedule
    [[nodiscard]] cost::Overlap overlap();                                                       ///< of the schedule
    /// Finds the step time of plan() with overlap; module() need not be its schedule. `step` is unchanged if the step
    /// is too long to be simulated, or if passes print. Returns false if an error was printed.
    [[nodiscard]] bool find_step_with_overlap(std::optional<cost::Seconds> &step);
    [[nodiscard]] const std::string &cpp() const { return cpp_; }
    [[nodiscard]] const Installation &installation() const { return installation_; }
    [[nodiscard]] std::string ast_text();

  private:
    struct CompileStep {
        Form form; ///< its result is what --emit=FORM prints
        const char *name;
        bool (Compilation::*run)();
    };
    static const CompileStep compile_steps[];

    /// Runs the compile steps that have not run yet, up to and including `last`.
    [[nodiscard]] bool run_through(const CompileStep *last);
    [[nodiscard]] bool run_until(bool (Compilation::*run)());

    [[nodiscard]] bool step_only();

    bool analyze();
    bool import();
    bool derive_step();
    bool choose_plan();
    bool lay_out();
    bool schedule();
    void warn_of_memory();
    bool emit();

    [[nodiscard]] planning::MemorySavings pinned_savings() const; ///< those that the layout asks for
    /// The training step of the imported networks. Null: an error was printed.
    [[nodiscard]] std::shared_ptr<DerivedModule> derive_module(const planning::MemorySavings &savings);
    [[nodiscard]] bool may_divide();
    [[nodiscard]] bool may_accumulate();
    /// The same, with its request to the planner.
    [[nodiscard]] std::shared_ptr<DerivedStep> derive(const planning::MemorySavings &savings);
    /// Makes request() for a step with these savings.
    bool ask(const planning::MemorySavings &savings);
    /// Prints what was assumed, and warns if the machine has fewer ranks than are planned for.
    void tell_of_request();
    void take(planning::Answer answer);

    bool fail(const std::string &line, int code);
    bool report(const support::DiagnosticKind &kind, mlir::Location where, const std::string &text);
    /// Reports the first error of a pass: as the user's error of kind `users_error`, or as an internal error if that is
    /// null.
    bool run_passes(mlir::ModuleOp module, void (*add)(mlir::OpPassManager &),
                    const support::DiagnosticKind *users_error = nullptr);

    const Options &options_;
    std::ostream &messages_;
    Installation installation_ = locate_installation();
    support::SourceFiles files_;
    support::Diagnostics diagnostics_{files_};
    std::optional<sema::Program> program_;
    mlir::MLIRContext context_;
    mlir::OwningOpRef<mlir::ModuleOp> imported_;
    std::shared_ptr<DerivedModule> pinned_; ///< the training step with pinned_savings()
    std::shared_ptr<DerivedStep> step_;     ///< the one that is planned
    std::optional<plan::Plan> plan_;
    std::optional<planning::Scheduled> schedule_; ///< of plan_, if choosing it required its schedule
    mlir::ModuleOp module_;                       ///< what the last compile step made of the program
    std::optional<cost::Overlap> overlap_;        ///< of module_, if it was scheduled
    std::string cpp_;
    const CompileStep *next_ = compile_steps;
    int exit_code_ = 0;
};

} // namespace planc::driver
