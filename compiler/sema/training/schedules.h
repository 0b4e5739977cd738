// The learning rate as a function of the step (R6).
//
//   0.1                                                        the same at every step
//   cosine(0.1, floor = 0.001)                                 over the steps of the training
//   warmup(steps = 500, then = linear_scaling(0.1, batch = 256))
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

/// The facts about a training on which a schedule may depend.
struct TrainingLength {
    std::int64_t steps = 0; ///< 0: training is by epochs
    std::int64_t batch = 0; ///< samples of a step, all ranks together
    bool known = true;      ///< false: an error in the length was reported
};

[[nodiscard]] Schedule analyze_schedule(const syntax::Expression &expression, int unit, const TrainingLength &length,
                                        Analysis &analysis);

} // namespace planc::sema
