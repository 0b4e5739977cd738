// Checks the proof of one mesh and storage.
#pragma once

#include "certificate/certificate.h"

#include <string>

namespace planc::certificate {

constexpr double rounding = 1e-12; ///< of sums, relative

/// Thrown inside check() only.
struct Wrong {
    std::string line;
};

/// For messages.
[[nodiscard]] std::string text(double number);
[[nodiscard]] std::string words(const Part &part);

/// Throws Wrong if the proof does not show that no plan costs less than the part claims, or if a plan that it meets
/// takes less than `searched`, the bound that the search claims.
void check_part(const Part &part, const StepScopes &step, Pricing &pricing, const plan::Request &request,
                double searched);

} // namespace planc::certificate
