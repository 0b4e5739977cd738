// The compiler's way from the text of a .plan file to its training step, for tests.
#pragma once

#include "driver/request.h"
#include "sema/program.h"
#include "support/diagnostics.h"
#include "support/source.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

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
    explicit Step(const std::string &text);

    [[nodiscard]] const sema::Train &train() const { return program_->trains.back(); }
    /// @train, @evaluate and @predict, without layouts.
    [[nodiscard]] mlir::ModuleOp module() { return *module_; }
    /// What planc would plan under one of the file's layouts; without the baselines.
    [[nodiscard]] plan::Request request(const std::string &layout);

  private:
    mlir::MLIRContext context_;
    driver::Installation installation_;
    support::SourceFiles files_;
    support::Diagnostics diagnostics_{files_};
    std::optional<sema::Program> program_;
    Module module_;
};

/// Does analysis accept the text?
[[nodiscard]] bool is_accepted(const std::string &text);

} // namespace planc::test
