// Minimises a function of a few positive numbers by a pattern search along their logarithms (Hooke and Jeeves 1961). It
// needs no derivatives and is deterministic.
//
//   std::vector<double> p{1, 1};
//   minimise(p, [](const std::vector<double> &p) { return …; });
#pragma once

#include <functional>
#include <vector>

namespace planc::calibrate {

/// `parameters`: the starting point, above 0; afterwards the best point found. Returns the function's value there.
double minimise(std::vector<double> &parameters, const std::function<double(const std::vector<double> &)> &function);

} // namespace planc::calibrate
