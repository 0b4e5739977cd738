#include "sema/training/parameter_groups.h"

#include "sema/layouts/layout_rules.h"

namespace planc::sema {

bool matches_parameter(std::string_view pattern, std::string_view parameter) {
    for (;;) {
        if (matches_text(pattern, parameter))
            return true;
        const std::size_t dot = parameter.find('.');
        if (dot == std::string_view::npos)
            return false;
        parameter.remove_prefix(dot + 1);
    }
}

GroupSettings resolve_group(const Optimizer &optimizer, std::string_view parameter) {
    GroupSettings settings;
    settings.weight_decay = optimizer.weight_decay;
    for (const ParameterGroup &group : optimizer.groups)
        if (matches_parameter(group.selector, parameter)) {
            settings.weight_decay = group.weight_decay.value_or(settings.weight_decay);
            settings.rate_factor = group.rate_factor.value_or(settings.rate_factor);
            settings.adapt = group.adapt.value_or(settings.adapt);
        }
    return settings;
}

} // namespace planc::sema
