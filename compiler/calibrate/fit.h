// Fits the rates of a machine to measurements. Each rate is fitted with the function of the cost model that later reads
// it (cost/kernels/kernels.h). The fit minimises the sum of Huber losses of log(predicted / measured), which are
// squares for errors within a tenth.
#pragma once

#include "calibrate/measurements.h"
#include "cost/machine.h"

#include <string>
#include <vector>

namespace planc::calibrate {

/// How well a rate predicts its measurements.
struct Quality {
    std::string rate; ///< "product", "allreduce on 2 ranks"
    std::size_t count = 0;
    double median_error = 0; ///< |predicted / measured - 1|
    double most_error = 0;
    double noise = 0; ///< median spread of the measurements themselves
};

struct Fit {
    cost::Machine machine; ///< the caller sets name and memory
    bool network_measured = false;
    std::vector<Quality> quality;
};

/// Rates without measurements are absent. Products and updates are required, because peak and memory bandwidth come
/// from them. Returns what is missing, in words, or an empty text.
[[nodiscard]] std::string fit(const Measurements &measurements, Fit &result);

} // namespace planc::calibrate
