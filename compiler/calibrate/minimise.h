// The least of a function of a few positive numbers, by a pattern search along their logarithms (Hooke and Jeeves
// 1961): no derivatives, the same result every time.
//
//   std::vector<double> p{1, 1};
//   minimise(p, [](const std::vector<double> &p) { return …; });
#pragma once

#include <functional>
#include <vector>

namespace planc::calibrate {

/// `parameters`: where to begin, above 0; then the best found. Returns the function there.
double minimise(std::vector<double> &parameters, const std::function<double(const std::vector<double> &)> &function);

} // namespace planc::calibrate
