// The random numbers of a fused loop. Each is a function of seed, name, step, sample and element, so that it does not
// depend on the layout. Those of an innermost loop that counts elements one by one are drawn for a strip at once, which
// takes a fraction of the time (planrt/random.h).
#pragma once

#include "emit/functions/loop_indices.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace planc::emit {

class RandomNumbers {
  public:
    using Tensors = llvm::SetVector<mlir::Operation *>;

    /// Both must outlive this.
    RandomNumbers(Body &body, LoopIndices &indices) : body_(body), indices_(indices) {}

    /// Declares, before the loops, what the numbers of each random tensor share.
    void declare_keys(ir::LoopsOp loops);
    /// The random tensors that the innermost loop needs and whose numbers are drawn for a strip at once.
    [[nodiscard]] Tensors of_strips(const std::vector<const schedule::LoopMember *> &members,
                                    const schedule::LoopSpace &space) const;
    /// Draws them, before the innermost loop over the strip.
    void draw_strip(const Tensors &randoms);
    void end_strip() { drawn_.clear(); }
    /// The number at the loops' indices.
    [[nodiscard]] std::string text(ir::RandomOp random);

  private:
    [[nodiscard]] std::string arguments(ir::RandomOp random);

    Body &body_;
    LoopIndices &indices_;
    std::string first_sample_;
    llvm::StringMap<std::string> keys_;
    llvm::DenseMap<mlir::Operation *, std::string> drawn_;
};

} // namespace planc::emit
