// The compiler's way from the text of a .plan file to its training step, for tests.
#pragma once

#include "plan_file.h"

#include "driver/planning/request.h"
#include "driver/planning/savings.h"
#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <stdexcept>
#include <string>

namespace planc::test {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

/// What the compiler does not accept; not a failure of a test.
class Refusal : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Something is not what it should be.
class Difference : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Step {
  public:
    /// Throws Refusal with the rendered diagnostic, or Difference where the compiler fails.
    explicit Step(const PlanFile &file);
    /// `data_directory`: of the files that the text names.
    explicit Step(const std::string &text, const std::string &data_directory = {});

    [[nodiscard]] const sema::Program &program() const { return *program_; }
    [[nodiscard]] const sema::Train &train() const { return program_->trains.back(); }
    /// @train, @evaluate and @predict, without layouts: the whole batch at once, nothing computed twice.
    [[nodiscard]] mlir::ModuleOp module() { return *module_; }
    /// The same with micro-batches and recomputation. Throws Refusal where the loss is no sum over samples.
    [[nodiscard]] Module derive(const planning::MemorySavings &savings, const pipeline::Updates &updates = {});
    /// The same step with every product as it is written, nothing simplified, and values on the entries of sparse
    /// matrices as tensors of all rows and columns.
    [[nodiscard]] Module as_written();

    [[nodiscard]] planning::MemorySavings savings_of(const std::string &layout) const;
    /// When the weights change within the step of a layout's pipeline.
    [[nodiscard]] pipeline::Updates updates_of(const std::string &layout) const;
    /// What planc would plan for `module` under one of the file's layouts; without the baselines.
    [[nodiscard]] plan::Request request(mlir::ModuleOp module, const std::string &layout);

  private:
    [[nodiscard]] bool run(mlir::PassManager &passes, mlir::ModuleOp module, std::string &message);

    mlir::MLIRContext context_;
    driver::Installation installation_;
    support::SourceFiles files_;
    support::Diagnostics diagnostics_{files_};
    std::optional<sema::Program> program_;
    Module imported_;
    Module module_;
};

/// Does analysis accept it?
[[nodiscard]] bool is_accepted(const PlanFile &file);

} // namespace planc::test
