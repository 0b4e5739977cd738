// Products with a triangular matrix, as causal attention's weights are: of op(A) the elements outside of a band are
// zero, or those of the result outside of one are not needed. Attribute `band` of plan.gemm, written by `find-bands`.
#pragma once

#include "ir/plan_dialect.h"

#include <optional>
#include <string>

namespace planc::schedule {

/// Of one matrix of a product the elements whose index in `lesser` is at most (if strict: less than) that in `greater`,
/// both counted over all ranks. Loops of the product's subscripts.
struct Band {
    std::string matrix; ///< "a", "b": it is zero elsewhere; "result": it is not needed elsewhere
    std::string lesser;
    std::string greater;
    bool strict = false;
};

/// Empty where all elements count.
[[nodiscard]] std::optional<Band> band_of(ir::GemmOp gemm);
void set_band(ir::GemmOp gemm, const Band &band);

} // namespace planc::schedule
