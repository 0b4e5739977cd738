// One rank's training, evaluation and prediction as the reference for all other ways to run the same step.
#pragma once

#include "random.h"
#include "step.h"

#include "cost/price.h"
#include "interpret/interpret.h"
#include "plan/plan.h"
#include "sema/program.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace planc::test {

/// How many values labels take: the extent of the role `class` in the prediction.
[[nodiscard]] int classes_of(const sema::Train &train);

/// Whether steps are divided by norms of gradients, which makes something of a gradient that is zero but for rounding.
[[nodiscard]] bool divides_by_norms(const sema::Train &train);

/// How many values the whole numbers of an input take: the classes of a label, the rows of the table that it indexes.
[[nodiscard]] int whole_numbers_of(const sema::Train &train, const std::string &argument);

class Reference {
  public:
    /// Runs `one`, a training step without layouts, on random data and weights. `whole`: the same step with all inputs
    /// of the data; on the whole batch at once, where `one` has micro-batches; on a graph, as it is written.
    Reference(mlir::ModuleOp one, mlir::ModuleOp whole, const sema::Train &train, Random &random);
    Reference(mlir::ModuleOp one, const sema::Train &train, Random &random) : Reference(one, one, train, random) {}

    /// Are all numbers of the reference finite? Otherwise there is nothing to compare.
    [[nodiscard]] bool finite() const;

    /// Do weights that differ by rounding errors give the same numbers? Not where an optimizer makes a direction of a
    /// gradient that is zero but for rounding, say.
    [[nodiscard]] bool stable(mlir::ModuleOp one, const sema::Train &train, Random &random) const;

    /// Runs the same on `module`; throws Difference or interpret::Failure. Returns what one training step communicates.
    [[nodiscard]] std::vector<interpret::CollectiveRecord> compare(mlir::ModuleOp module) const;

    /// The same, up to a call that gives something that is no number: the softmax over a row without entries does,
    /// where it is computed for all pairs.
    void compare_numbers(mlir::ModuleOp module) const;

  private:
    /// One call of a function, with what it was given and what came out.
    struct Run {
        std::string function;
        interpret::Inputs inputs;
        interpret::Outcome outcome;
    };
    [[nodiscard]] std::vector<interpret::CollectiveRecord>
    compare(mlir::ModuleOp module, std::map<std::string, interpret::Array> variables, bool only_numbers = false) const;
    /// After the first step the state says what the gradient was: is one of them zero, or made of rounding errors?
    [[nodiscard]] bool has_vanishing_gradient() const;
    [[nodiscard]] interpret::Inputs inputs_of(mlir::ModuleOp one, mlir::ModuleOp whole, const sema::Train &train,
                                              Random &random) const;

    std::vector<Run> runs_;
};

/// Does every rank move what the table says? `fused`: calls of buckets count once, as in a schedule.
void compare_traffic(const std::vector<interpret::CollectiveRecord> &executed, const cost::CostTable &table,
                     bool fused);

/// What a rank hands to MPI in a step.
struct Moved {
    std::int64_t bytes = 0;
    std::int64_t calls = 0;
    friend auto operator<=>(const Moved &, const Moved &) = default;
};

/// Of a pipeline: does the rank with the most bytes, and of those with the most calls, hand to MPI what the table says?
void compare_busiest(const std::vector<Moved> &ranks, const cost::CostTable &table);
void compare_busiest(const std::vector<interpret::CollectiveRecord> &executed, const cost::CostTable &table);

} // namespace planc::test
