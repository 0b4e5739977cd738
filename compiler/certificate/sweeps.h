// Finds messages that prove a good bound (certificate.h). It sweeps back and forth over the layers: each layer collects
// what its functions have for it, and passes what exceeds its minimum on to those that lead further (Kolmogorov 2015,
// "A new look at reweighted message passing").
#pragma once

#include "certificate/messages.h"

namespace planc::certificate {

[[nodiscard]] Messages zero_messages(const std::vector<Factor> &factors);

/// Improves the messages for these prices of the factors' entries, until the bound is `enough` or hardly improves.
/// Returns the number of sweeps.
int sweep(const Terms &terms, const Kept &kept, const std::vector<Factor> &factors, double enough, Messages &messages);

} // namespace planc::certificate
