// Runs functions of the plan dialect on all ranks of the mesh in one process, in double precision, operation by
// operation, with collectives message by message. It tests what layouts mean, without a C++ compiler or MPI.
//
//   Inputs inputs;
//   inputs.fields["image"] = {{64, 64}, …};
//   inputs.variables["h1.w"] = {{64, 256}, …};
//   Outcome outcome = run(module, "train", inputs);     // outcome.results[0] is the loss
//
// After every operation, the replicas of a value must be equal to the last bit, so a layout that calls a partial sum
// replicated is found at the operation that makes it. Messages and elements are counted and compared with
// planrt::traffic(). For a scheduled program (after assign-buffers), the places of values in the arena are checked too:
// an operation must read what was written there last, and nothing may touch the buffers of a collective before its
// wait.
#pragma once

#include <planrt/layout.h>

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace planc::interpret {

/// A whole tensor, row-major in its canonical order. Labels are numbers too.
struct Array {
    std::vector<std::int64_t> extents;
    std::vector<double> elements;
};

/// Sums over micro-batches, by the names of their variables: the elements of each rank, often addends.
using Accumulators = std::map<std::string, std::vector<std::vector<double>>>;

struct Inputs {
    std::map<std::string, Array> fields;   ///< by the arguments' `plan.input`
    std::map<std::string, Array> matrices; ///< sparse arguments, with their zeros
    std::map<std::string, Array> variables;
    Accumulators accumulators;     ///< those that are missing are zero
    std::int64_t step = 0;         ///< training steps done before; with several updates each, their updates are counted
    std::uint64_t seed = 0;        ///< of random numbers
    std::int64_t first_sample = 0; ///< of this micro-batch, within the global batch
};

/// A collective that was executed.
struct CollectiveRecord {
    std::string kind;
    std::string layer;
    std::string phase;
    int element_bytes = 4;
    std::vector<planrt::Traffic> traffic; ///< per rank
};

struct Outcome {
    std::vector<Array> results;
    std::map<std::string, Array> variables; ///< after the function, including those that it does not write
    Accumulators accumulators;              ///< likewise
    std::vector<CollectiveRecord> collectives;
};

/// The program is wrong, or an input is missing or of the wrong shape; the message says at which operation.
class Failure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Runs `function` on the mesh of the module's attribute `plan.mesh`; without one, on one rank. Throws Failure.
[[nodiscard]] Outcome run(mlir::ModuleOp module, llvm::StringRef function, const Inputs &inputs);

} // namespace planc::interpret
