// The interpreter of rank programs: all ranks in one process, in double precision, message by message.
//
//   Outcome outcome = run(module, "train", {{"image", image}, {"label", label}}, variables);
//   outcome.error.empty() ? outcome.results[0].values[0] : …
//
// Runs functions of the plan dialect at every stage: a training step without layouts (one rank), a rank program, a
// schedule. It shares the definition of blocks and exchanges with the runtime (planrt/layout.h) and nothing with the
// emitter, so that equal results mean something.
#pragma once

#include "interpret/array.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace planc::interpret {

using Arrays = std::map<std::string, Array>;

/// What one collective moved, as counted while it ran.
struct Counted {
    std::string layer;
    std::string phase;
    std::string kind;
    std::vector<planrt::Traffic> ranks;
};

struct Outcome {
    std::string error;            ///< what is wrong with the program; empty: nothing
    std::vector<Array> results;   ///< of the function, whole
    Arrays variables;             ///< after it, whole
    std::vector<Counted> traffic; ///< in order of execution
};

/// `inputs` by the names in `plan.input`, `variables` by symbol; whole arrays both. `step` counts from 0 (for Adam).
/// Every replica of a result or variable must be equal to the last bit, every operand must lie where its operation
/// reads it, and what a collective moved must be what planrt::traffic says: anything else is an error.
[[nodiscard]] Outcome run(mlir::ModuleOp module, mlir::StringRef function, const Arrays &inputs,
                          const Arrays &variables, std::int64_t step = 0);

} // namespace planc::interpret
