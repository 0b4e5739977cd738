// The function that a plan.edge_reduce reduces: a list of steps, of which each uses earlier ones.
//
//   operand 0          the operand's element at its loops
//   matrix             the matrix's value at the entry
//   number 0.2
//   random 3 key       uniform, at the index of these loops, of which the first counts samples: see `loops`
//   call exp 2         a pointwise function of steps
//   product 0 2        of steps
//   sum 3 over feature the sum of a step over loops of its own
#pragma once

#include "ir/plan_dialect.h"

#include <set>
#include <string>
#include <vector>

namespace planc::ir {

struct EdgeStep {
    enum class Kind : std::uint8_t { operand, matrix, number, random, call, product, sum } kind = Kind::number;
    std::string text;               ///< call: the function; random: the key
    double number = 0;              ///< number only
    int operand = 0;                ///< operand only
    std::vector<int> arguments;     ///< numbers of earlier steps
    std::vector<std::string> loops; ///< random, sum: loops by name
    int samples = -1;               ///< random: which of its loops counts samples; -1: none

    [[nodiscard]] std::string to_text() const;
    friend bool operator==(const EdgeStep &, const EdgeStep &) = default;
};

[[nodiscard]] std::optional<EdgeStep> parse_edge_step(llvm::StringRef text);
[[nodiscard]] std::vector<EdgeStep> steps_of(EdgeReduceOp op);
/// The loops on which each step depends, without those that it sums over.
[[nodiscard]] std::vector<std::set<std::string>> loops_of_steps(EdgeReduceOp op);
/// Per point of the nest.
[[nodiscard]] double flops_per_point(EdgeReduceOp op);

} // namespace planc::ir
