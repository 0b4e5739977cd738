// The bounds that messages prove: see certificate.h.
#pragma once

#include "certificate/terms.h"

#include <vector>

namespace planc::certificate {

/// Per factor, per layer of it, and per class: the seconds taken from the factor and given to the layer.
using Messages = std::vector<std::vector<std::vector<double>>>;

struct Bounds {
    double total = 0; ///< for all plans among the kept strategies
    /// By layer and kept strategy: for the plans with it; empty: total >= target.
    PerLayer<std::vector<double>> of;
};

/// `exactly`: first prices the entries that matter: those that decide the total, and those with which a plan could take
/// less than `target`, or less than the point that lies by `share` of the way from the total to the target.
[[nodiscard]] Bounds bounds(Terms &terms, const Kept &kept, std::vector<Factor> &factors, const Messages &messages,
                            bool exactly, double target, double share = 1);

/// For each layer the kept strategy with the least bound. The bounds are below their target.
[[nodiscard]] Kept most_promising(const Kept &kept, const Bounds &bounds);

} // namespace planc::certificate
