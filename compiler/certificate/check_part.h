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

/// Throws Wrong if the proof does not show what the part claims: that no plan costs less. Throws too if a plan on the
/// way takes less than `searched`, the bound that the search claims. `cost`: of the plan, in seconds.
void check_part(const Part &part, const StepScopes &step, Pricing &pricing, const plan::Request &request,
                double searched, double cost);

} // namespace planc::certificate
