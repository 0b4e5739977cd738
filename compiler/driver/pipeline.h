// The whole way from a .plan file to C++, a line a step. The order and the invariant of each step stand in run_until().
#pragma once

#include "driver/locate.h"
#include "driver/options.h"
#include "plan/plan.h"
#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace planc::driver {

/// One compilation: everything that its steps have made so far.
class Pipeline {
  public:
    explicit Pipeline(const Options &options);

    /// Runs the steps up to and including `stage` (`cpp`: all). False: an error was printed; exit_code() says which kind.
    [[nodiscard]] bool run_until(Stage stage);
    [[nodiscard]] int exit_code() const { return exit_code_; }

    [[nodiscard]] const sema::Program &program() const { return *program_; }
    [[nodiscard]] const plan::Plan &plan() const { return *plan_; }
    [[nodiscard]] const plan::Request &request() const { return *request_; }
    [[nodiscard]] mlir::ModuleOp module() { return *module_; }
    [[nodiscard]] const std::string &cpp() const { return cpp_; }
    [[nodiscard]] const Installation &installation() const { return installation_; }
    [[nodiscard]] std::string ast_text();

  private:
    bool analyze();
    bool import();
    bool derive_step();
    bool choose_plan();
    bool lay_out();
    bool schedule();
    bool emit();

    bool fail(const std::string &line, int code);
    bool run_passes(const char *what, void (*add)(class mlir::OpPassManager &));

    const Options &options_;
    Installation installation_ = locate_installation();
    support::SourceFiles files_;
    support::Diagnostics diagnostics_{files_};
    std::optional<sema::Program> program_;
    mlir::MLIRContext context_;
    mlir::OwningOpRef<mlir::ModuleOp> module_;
    std::optional<plan::Request> request_;
    std::optional<plan::Plan> plan_;
    std::string cpp_;
    int exit_code_ = 0;
};

} // namespace planc::driver
