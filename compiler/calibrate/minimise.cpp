#include "calibrate/minimise.h"

#include <cmath>

namespace planc::calibrate {

namespace {

constexpr double first_step = 1; // of a logarithm
constexpr double last_step = 1e-4;
constexpr int most_sweeps = 400; // at one step

} // namespace

double minimise(std::vector<double> &parameters, const std::function<double(const std::vector<double> &)> &function) {
    double best = function(parameters);
    for (double step = first_step; step > last_step; step /= 2) {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            const std::vector<double> before = parameters;
            const double least = best;
            for (std::size_t i = 0; i < parameters.size(); ++i)
                for (const double factor : {std::exp(step), std::exp(-step)}) {
                    std::vector<double> tried = parameters;
                    tried[i] *= factor;
                    if (const double value = function(tried); value < best) {
                        best = value;
                        parameters = tried;
                    }
                }
            if (best >= least)
                break;
            std::vector<double> further = parameters; // the same way again
            for (std::size_t i = 0; i < parameters.size(); ++i)
                further[i] *= parameters[i] / before[i];
            if (const double value = function(further); value < best) {
                best = value;
                parameters = further;
            }
        }
    }
    return best;
}

} // namespace planc::calibrate
