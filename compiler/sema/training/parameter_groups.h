// Which settings of an optimizer hold for which parameter (R5).
//
// Example: `adamw(rate = 3e-4, weight_decay = 0.1) { *.b { weight_decay = 0 } }` on "h1.w" gives 0.1, on "h1.b" 0.
#pragma once

#include "sema/program.h"

#include <string_view>

namespace planc::sema {

struct GroupSettings {
    double weight_decay = 0;
    double rate_factor = 1; ///< multiplies the scheduled rate
    bool adapt = true;      ///< LARS, LAMB: scale by the trust ratio
};

/// What holds for the parameter with this path: the optimizer's own settings, then those of each group that matches.
[[nodiscard]] GroupSettings resolve_group(const Optimizer &optimizer, std::string_view parameter);

/// Does a group's pattern match a parameter? It does if it matches the path or an end of it that starts with a name;
/// `*` stands for any characters, dots included. `*.b` and `b` are all that is called b, `norm*.*` what is in layers
/// named so.
[[nodiscard]] bool matches_parameter(std::string_view pattern, std::string_view parameter);

} // namespace planc::sema
