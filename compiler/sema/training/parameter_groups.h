// Finds the settings of an optimizer for each parameter (R5).
//
// Example: `adamw(rate = 3e-4, weight_decay = 0.1) { *.b { weight_decay = 0 } }` gives 0.1 for "h1.w" and 0 for "h1.b".
#pragma once

#include "sema/program.h"

#include <string_view>

namespace planc::sema {

struct GroupSettings {
    double weight_decay = 0;
    double rate_factor = 1; ///< multiplies the scheduled rate
    bool adapt = true;      ///< LARS, LAMB: scale by the trust ratio
};

/// The settings for the parameter with this path: the optimizer's own, overridden by each group that matches.
[[nodiscard]] GroupSettings resolve_group(const Optimizer &optimizer, std::string_view parameter);

/// Whether a group's pattern matches a parameter: the path, or an end of it that starts with a name. `*` stands for any
/// characters, dots included. `*.b` and `b` match all parameters called b, `norm*.*` all parameters of layers so named.
[[nodiscard]] bool matches_parameter(std::string_view pattern, std::string_view parameter);

} // namespace planc::sema
