// What to plan for: the layout, mesh and machine that the .plan file and the command line name, as the planner's
// request.
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
    std::string library;     ///< the file that declares it just so, "std/machines/skylake.plan"; empty: none does
    bool by_default = false; ///< nobody named one
};

struct PlanRequest {
    plan::Request request;
    std::string layout; ///< its name
    std::string mesh;   ///< its name; empty: none is declared, or it is the layout's own
    ChosenMachine machine;
    std::vector<std::string> notes; ///< for the user: what was assumed
};

/// One line for the user, or none where a diagnostic was reported.
struct RequestError {
    std::string line;
    int exit_code = 1;
};

/// Does --layout name a file, and not a layout of the program?
[[nodiscard]] bool is_layout_file(const std::string &layout);

/// The layout that --layout or the training names; null: none is named, or there is none of that name.
[[nodiscard]] const sema::Layout *layout_of(const sema::Program &program, const Options &options);

/// For the training step that `module` holds, all its micro-batches.
[[nodiscard]] std::variant<PlanRequest, RequestError>
make_request(const sema::Program &program, mlir::ModuleOp module, const Options &options,
             const Installation &installation, support::SourceFiles &files, support::Diagnostics &diagnostics);

/// Writes a plan into the module: `plan.mesh`, `plan.strategies` and `plan.storage`.
void set_plan(mlir::ModuleOp module, const sharding::Graph &graph, const plan::Plan &plan);

} // namespace planc::driver
