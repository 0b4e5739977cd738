// Turns the layout, mesh and machine of the .plan file and the command line into the planner's request.
#pragma once

#include "driver/files/locate.h"
#include "driver/options/options.h"
#include "plan/plan.h"
#include "sema/program.h"
#include "support/diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <variant>
#include <vector>

namespace planc::driver {

struct ChosenMachine {
    sema::Machine declared;  ///< with the settings of the command line
    std::string library;     ///< the library file with exactly this machine, "std/machines/skylake.plan"; empty: there
                             ///< is none
    bool by_default = false; ///< the default, because no machine was named
};

struct PlanRequest {
    plan::Request request;
    std::string layout; ///< its name
    std::string mesh;   ///< its name; empty: none is declared, or the layout has its own
    ChosenMachine machine;
    std::vector<std::string> notes; ///< for the user: what was assumed
};

/// One line for the user; empty if a diagnostic was already reported.
struct RequestError {
    std::string line;
    int exit_code = 1;
};

/// Whether --layout names a file instead of a layout of the program.
[[nodiscard]] bool is_layout_file(const std::string &layout);

/// The layout that --layout or the training names. Null if none is named, or if there is no layout of that name.
[[nodiscard]] const sema::Layout *layout_of(const sema::Program &program, const Options &options);

/// For the training step in `module`, with all its micro-batches.
[[nodiscard]] std::variant<PlanRequest, RequestError>
make_request(const sema::Program &program, mlir::ModuleOp module, const Options &options,
             const Installation &installation, support::SourceFiles &files, support::Diagnostics &diagnostics);

/// Writes a plan into the module: `plan.mesh`, `plan.strategies` and `plan.storage`.
void set_plan(mlir::ModuleOp module, const sharding::Graph &graph, const plan::Plan &plan);

} // namespace planc::driver
