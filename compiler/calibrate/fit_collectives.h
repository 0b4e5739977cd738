// alpha and beta of each collective by group and size, and what part of it processors do.
#pragma once

#include "calibrate/fit.h"

namespace planc::calibrate {

/// Sets the collectives of the machine, ascending, and its link: that of messages between two ranks. Between two sizes
/// that were measured time is linear in bytes; neighbouring ranges become one where that errs little.
void fit_collectives(const Measurements &measurements, Fit &result);

} // namespace planc::calibrate
