// Measured rates as settings of a machine's declaration (M6): `kernels` and `collectives`.
#pragma once

#include "support/rates.h"

#include <string>
#include <vector>

namespace planc::calibrate {

/// Writes quantities with their units.
struct QuantityWriter {
    std::string (*number)(double);
    std::string (*rate)(double flops_per_second);
    std::string (*bandwidth)(double bytes_per_second);
    std::string (*memory)(double bytes);
    std::string (*time)(support::Seconds);
};

/// Leaves out what was not measured. The text is not in canonical form.
[[nodiscard]] std::string rates_text(const support::KernelRates &kernels,
                                     const std::vector<support::CollectiveRate> &collectives,
                                     const QuantityWriter &write);

} // namespace planc::calibrate
