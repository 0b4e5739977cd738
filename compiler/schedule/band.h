// Products with a triangular matrix, such as the weights of causal attention: the elements of op(A) outside a band are
// zero, or those of the result outside a band are not needed. Attribute `band` of plan.gemm, written by `find-bands`.
#pragma once

#include "ir/plan_dialect.h"

#include <optional>
#include <string>

namespace planc::schedule {

/// The elements of one matrix of a product whose index in `lesser` is at most (if strict: less than) that in `greater`,
/// both counted over all ranks. Both are loops of the product's subscripts.
struct Band {
    std::string matrix; ///< "a", "b": it is zero elsewhere; "result": it is not needed elsewhere
    std::string lesser;
    std::string greater;
    bool strict = false;
};

/// Empty if all elements are needed.
[[nodiscard]] std::optional<Band> band_of(ir::GemmOp gemm);
void set_band(ir::GemmOp gemm, const Band &band);

} // namespace planc::schedule
