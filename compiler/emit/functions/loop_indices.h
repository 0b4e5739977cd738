// The C++ loops of a nest and the subscripts of tensors in them. Dimensions that occur together in every tensor, or in
// none, run as one loop: an update of [hidden, digit] is one loop over hidden * digit.
#pragma once

#include "emit/functions/body.h"
#include "schedule/loop_nest.h"

#include <string>
#include <vector>

namespace planc::emit {

struct Loop {
    std::string index;
    std::string extent;
    int first = 0; ///< dimensions of the nest that it runs over: [first, last)
    int last = 1;
    std::string from = "0"; ///< its first iteration in this part
    std::string to;
    [[nodiscard]] std::string head() const {
        return "for (int64_t " + index + " = " + from + "; " + index + " < " + to + "; ++" + index + ") {";
    }
};

class LoopIndices {
  public:
    LoopIndices(const schedule::LoopNest &nest, ir::LoopsOp loops, Body &body);

    [[nodiscard]] std::vector<Loop> &outer() { return outer_; }
    [[nodiscard]] std::vector<Loop> &inner() { return inner_; }
    [[nodiscard]] const std::vector<Loop> &outer() const { return outer_; }
    [[nodiscard]] const std::vector<Loop> &inner() const { return inner_; }
    /// "i * hidden + j"; "0" for a scalar.
    [[nodiscard]] std::string index(ir::TensorType type) const;
    /// The index of the loop over one dimension alone.
    [[nodiscard]] std::string index_of(llvm::StringRef role) const { return loop_of(dimension(role)).index; }
    /// The row-major number among the global elements of a tensor's dimensions, with one of them left out.
    [[nodiscard]] std::string global_index(ir::TensorType type, llvm::StringRef without, Body &body) const;
    /// Whether global_index() counts the iterations of the innermost loop one by one.
    [[nodiscard]] bool counts_innermost(ir::TensorType type, llvm::StringRef without, const Body &body) const;
    /// Whether the subscript of a tensor depends on the loop.
    [[nodiscard]] bool moves(ir::TensorType type, const Loop &loop) const;

  private:
    [[nodiscard]] int dimension(llvm::StringRef role) const;
    [[nodiscard]] const Loop &loop_of(int dimension) const;
    std::vector<Loop> loops_over(int first, int last, const std::vector<bool> &joined, Body &body);

    schedule::LoopSpace space_;
    std::vector<Loop> outer_;
    std::vector<Loop> inner_;
};

} // namespace planc::emit
