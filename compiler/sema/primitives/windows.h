// The windows of convolutions and pools, as calls say them: `kernel = 3, stride = [2, 1], padding = "same"`.
//
// Each setting is one number for all spatial dimensions or a list with one for each. A padding may also be a list with
// pairs [before, behind], "valid" (none) or "same": as many positions as the extent divided by the stride, rounded up;
// of an odd padding the larger half is behind (as TensorFlow defines it).
#pragma once

#include "sema/context.h"
#include "sema/values/values.h"

#include <optional>

namespace planc::sema {

/// A value in a call, and what messages call it: "'stride' of 'max_pool'".
struct WindowSetting {
    Value value;
    SourceRange where;
    std::string what;
};

/// One number for each of the dimensions, at least `least`.
[[nodiscard]] std::vector<std::int64_t> window_numbers(const Context &context, const WindowSetting &setting,
                                                       const std::vector<DimensionValue> &dimensions,
                                                       std::int64_t least);

/// Sets the paddings of windows whose other numbers are known.
void set_padding(const Context &context, const WindowSetting &setting, const std::vector<DimensionValue> &dimensions,
                 std::vector<Window> &windows);

/// From the first to the last index that it touches at one position.
[[nodiscard]] std::int64_t span(const Window &window);

/// How many positions the window has on a dimension of the extent: 0 if it is larger than that with its padding.
[[nodiscard]] std::int64_t positions(const Window &window, std::int64_t extent);

/// The first position at which the window touches no index in [0, extent); none if there is no such.
[[nodiscard]] std::optional<std::int64_t> position_without_element(const Window &window, std::int64_t extent);

} // namespace planc::sema
