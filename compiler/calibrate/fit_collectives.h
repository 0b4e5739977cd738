// Fits alpha and beta of each collective by group and size, and the share of the time in which processors work.
#pragma once

#include "calibrate/fit.h"

namespace planc::calibrate {

/// Sets the collectives of the machine, ascending, and its link, which is that of messages between two ranks. Between
/// two measured sizes, time is linear in bytes; neighbouring ranges are merged if the error stays small.
void fit_collectives(const Measurements &measurements, Fit &result);

} // namespace planc::calibrate
