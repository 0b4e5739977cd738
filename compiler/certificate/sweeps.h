// Finds messages that prove much (certificate.h): back and forth over the layers, each takes all that the functions it
// is in have for it and gives what is above its least on to those that lead further (Kolmogorov 2015, "A new look at
// reweighted message passing").
#pragma once

#include "certificate/messages.h"

namespace planc::certificate {

[[nodiscard]] Messages zero_messages(const std::vector<Factor> &factors);

/// Improves the messages, for these prices of the factors' entries; until the bound is `enough`, or gains little. How
/// often it went back and forth.
int sweep(const Terms &terms, const Kept &kept, const std::vector<Factor> &factors, double enough, Messages &messages);

} // namespace planc::certificate
