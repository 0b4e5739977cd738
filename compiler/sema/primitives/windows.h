// The windows of convolutions and pools as given in calls: `kernel = 3, stride = [2, 1], padding = "same"`.
//
// Each setting is one number for all spatial dimensions, or a list with one number for each. A padding may also be a
// list that contains pairs [before, after], "valid" (none), or "same": as many positions as the extent divided by the
// stride, rounded up; the larger half of an odd padding comes after (as TensorFlow defines it).
#pragma once

#include "sema/context.h"
#include "sema/values/values.h"

#include <optional>

namespace planc::sema {

/// A value in a call, and its name in messages: "'stride' of 'max_pool'".
struct WindowSetting {
    Value value;
    SourceRange where;
    std::string what;
};

/// Reads one number, at least `least`, for each of the dimensions.
[[nodiscard]] std::vector<std::int64_t> window_numbers(const Context &context, const WindowSetting &setting,
                                                       const std::vector<DimensionValue> &dimensions,
                                                       std::int64_t least);

/// Sets the paddings of windows whose other numbers are known.
void set_padding(const Context &context, const WindowSetting &setting, const std::vector<DimensionValue> &dimensions,
                 std::vector<Window> &windows);

/// The distance from the first to the last index that the window touches at one position, both included.
[[nodiscard]] std::int64_t span(const Window &window);

/// The number of positions of the window on a dimension of the extent; 0 if it is larger than the dimension with its
/// padding.
[[nodiscard]] std::int64_t positions(const Window &window, std::int64_t extent);

/// The first position at which the window touches no index in [0, extent); none if there is no such position.
[[nodiscard]] std::optional<std::int64_t> position_without_element(const Window &window, std::int64_t extent);

} // namespace planc::sema
