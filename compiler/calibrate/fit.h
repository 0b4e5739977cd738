// From measurements to the rates of a machine: each is fitted by the function of the cost model that reads it
// (cost/kernels/kernels.h), so that what is written is what is meant. What is made least is the sum of Huber's losses
// of log(predicted / measured): squares of what is within a tenth.
#pragma once

#include "calibrate/measurements.h"
#include "cost/machine.h"

#include <string>
#include <vector>

namespace planc::calibrate {

/// How well a rate says what was measured.
struct Quality {
    std::string rate; ///< "product", "allreduce on 2 ranks"
    std::size_t count = 0;
    double median_error = 0; ///< |predicted / measured - 1|
    double most_error = 0;
    double noise = 0; ///< median spread of the measurements themselves
};

struct Fit {
    cost::Machine machine; ///< name and memory are the caller's
    bool network_measured = false;
    std::vector<Quality> quality;
};

/// Rates of which nothing was measured are absent. None at all without products and updates: then peak and bandwidth of
/// memory are unknown. Empty: what is missing, in words.
[[nodiscard]] std::string fit(const Measurements &measurements, Fit &result);

} // namespace planc::calibrate
