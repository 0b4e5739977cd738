#include "sema/primitives/windows.h"

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(no_spatial_dimension, error,
                 "'{0}' moves a window over the dimensions between the first and the last: {1} has none");    // O16
PLANC_DIAGNOSTIC(too_many_windows, error, "'{0}' moves a window over one to three dimensions, not over {1}"); // O16
PLANC_DIAGNOSTIC(too_many_elements, error, "the window of '{0}' has more than 2147483647 elements");          // O16
PLANC_DIAGNOSTIC(window_numbers_mismatch, error, "{0} has {1} for the spatial dimensions {2}");               // O16
PLANC_DIAGNOSTIC(window_too_large, error,
                 "the window of '{0}' ({2}) is larger than dimension '{1}' with its padding ({3})"); // O16
PLANC_DIAGNOSTIC(output_padding_too_large, error,
                 "the output padding of 'convolution_transpose' ({0}) must be below the stride ({1})"); // O24
PLANC_DIAGNOSTIC(nothing_covered, error,
                 "the padding of 'convolution_transpose' leaves nothing of dimension '{0}'"); // O24

namespace {

/// Extents are at most 2^60: with such windows nothing overflows.
constexpr std::int64_t largest_number = 1'000'000;
/// The maximum number of windows in a kernel of the runtime.
constexpr std::size_t most_windows = 3;

const std::vector<Value> &one_for_each(const Context &context, const std::vector<Value> &list,
                                       const WindowSetting &setting, const std::vector<DimensionValue> &dimensions) {
    if (list.size() != dimensions.size())
        context.fail(window_numbers_mismatch, setting.where,
                     {setting.what, count_of_values(list.size()), to_string(dimensions)});
    return list;
}

void set_both(const Context &context, const WindowSetting &setting, const Value &value, Window &window) {
    const auto number = [&](const Value &side) {
        return expect_integer_in(context, side, setting.where, setting.what, 0, largest_number);
    };
    const auto *pair = value.get<ListValue>();
    if (pair ? (*pair)->size() != 2 : !value.get<std::int64_t>())
        fail_wrong_type(context, setting.where, "each part of " + setting.what,
                        "a whole number or [before, behind]; \"same\" and \"valid\" stand alone", value);
    if (!pair) {
        window.before = window.behind = number(value);
        return;
    }
    window.before = number((**pair)[0]);
    window.behind = number((**pair)[1]);
}

/// What a transposed window makes of so many positions; beyond 64 bits: the largest number, which append() refuses.
std::int64_t covered(const Window &window, std::int64_t positions, std::int64_t output_padding) {
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(positions - 1, window.stride, &extent) ||
        __builtin_add_overflow(extent, span(window) + output_padding, &extent))
        return std::numeric_limits<std::int64_t>::max();
    return extent - window.before - window.behind;
}

/// TensorFlow's padding "same" of a transposed convolution: `stride` elements for each position.
void cover_stride(Window &window, std::int64_t &output_padding) {
    const std::int64_t total = span(window) - window.stride;
    output_padding = std::max(-total, std::int64_t{0});
    window.before = std::max(total, std::int64_t{0}) / 2;
    window.behind = std::max(total, std::int64_t{0}) - window.before;
}

/// TensorFlow's padding "same".
void keep_extent(Window &window, std::int64_t extent) {
    const std::int64_t positions = (extent - 1) / window.stride + 1;
    const std::int64_t total = std::max((positions - 1) * window.stride + span(window) - extent, std::int64_t{0});
    window.before = total / 2;
    window.behind = total - window.before;
}

} // namespace

std::vector<std::int64_t> window_numbers(const Context &context, const WindowSetting &setting,
                                         const std::vector<DimensionValue> &dimensions, std::int64_t least) {
    const auto number = [&](const Value &value) {
        return expect_integer_in(context, value, setting.where, setting.what, least, largest_number);
    };
    const auto *list = setting.value.get<ListValue>();
    if (!list)
        return std::vector<std::int64_t>(dimensions.size(), number(setting.value));
    std::vector<std::int64_t> numbers;
    for (const Value &value : one_for_each(context, **list, setting, dimensions))
        numbers.push_back(number(value));
    return numbers;
}

bool is_same(const WindowSetting &setting) {
    const auto *word = setting.value.get<std::string>();
    return word && *word == "same";
}

void set_padding(const Context &context, const WindowSetting &setting, const std::vector<DimensionValue> &dimensions,
                 std::vector<Window> &windows) {
    const auto *word = setting.value.get<std::string>();
    constexpr const char *allowed = R"(a whole number, a list with one for each spatial dimension, "same" or "valid")";
    if (word && *word != "same" && *word != "valid")
        fail_wrong_type(context, setting.where, setting.what, allowed, setting.value);
    const auto *list = setting.value.get<ListValue>();
    if (!word && !list && !setting.value.get<std::int64_t>())
        fail_wrong_type(context, setting.where, setting.what, allowed, setting.value);
    if (list)
        static_cast<void>(one_for_each(context, **list, setting, dimensions));
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (list)
            set_both(context, setting, (**list)[i], windows[i]);
        else if (!word)
            set_both(context, setting, setting.value, windows[i]);
        else if (*word == "same")
            keep_extent(windows[i], dimensions[i].extent);
    }
}

std::int64_t span(const Window &window) {
    return (window.kernel - 1) * window.dilation + 1;
}

std::int64_t positions(const Window &window, std::int64_t extent) {
    const std::int64_t room = extent + window.before + window.behind - span(window);
    return room < 0 ? 0 : room / window.stride + 1;
}

std::optional<std::int64_t> position_without_element(const Window &window, std::int64_t extent) {
    const std::int64_t count = positions(window, extent);
    for (std::int64_t p = 0; p < count && p * window.stride < window.before; ++p) { // begins in front of index 0
        const std::int64_t outside = window.before - p * window.stride;
        const std::int64_t k = (outside + window.dilation - 1) / window.dilation; // the first inside
        if (k >= window.kernel || k * window.dilation - outside >= extent)
            return p;
    }
    const std::int64_t behind = (extent + window.before + window.stride - 1) / window.stride; // begins after the end
    return behind < count ? std::optional(behind) : std::nullopt;
}

// --- in calls ----------------------------------------------------------------------------------------------------

/// The dimensions of x that the argument `spatial` names; without it, those between the first and the last.
std::vector<std::size_t> Elaborator::spatial_places(const TensorValue &x, const Arguments &arguments,
                                                    const syntax::Call &call) {
    std::vector<std::size_t> places;
    if (const syntax::CallArgument *given = arguments.find("spatial")) {
        std::vector<DimensionValue> names =
            expect_dimensions(context(), constant_argument(*given), given->where, arguments.what("spatial"));
        for (DimensionValue &name : names)
            name.symbol = DimensionValue::by_role; // the roles of one tensor are distinct
        places = positions(x, names, given->where);
    } else {
        for (std::size_t i = 1; i + 1 < x.dimensions.size(); ++i)
            places.push_back(i);
    }
    if (places.empty() && arguments.find("spatial"))
        fail(too_many_windows, call.callee.where, {call.callee.text, "0"});
    if (places.empty())
        fail(no_spatial_dimension, call.callee.where, {call.callee.text, to_string(x)});
    if (places.size() > most_windows)
        fail(too_many_windows, call.callee.where, {call.callee.text, std::to_string(places.size())});
    return places;
}

std::optional<WindowSetting> Elaborator::window_setting(const Arguments &arguments, const std::string &name) {
    const syntax::CallArgument *given = arguments.find(name);
    if (!given)
        return std::nullopt;
    return WindowSetting{extents_for_dimensions(context(), constant_argument(*given), given->where), given->where,
                         arguments.what(name)};
}

/// Makes the windows of the given kernels from the arguments `stride`, `dilation` and `padding`. The dimensions of x at
/// `places` get the windows' numbers of positions as extents; for convolution_transpose, what the windows cover.
std::vector<Window> Elaborator::slide_windows(TensorValue &x, const std::vector<std::size_t> &places,
                                              const std::vector<std::int64_t> &kernels,
                                              const std::vector<std::int64_t> &strides, const Arguments &arguments,
                                              const syntax::Call &call) {
    std::vector<DimensionValue> dimensions;
    std::vector<Window> windows;
    std::int64_t elements = 1; // numbered by i32 where maxima are kept
    for (std::size_t i = 0; i < places.size(); ++i) {
        dimensions.push_back(x.dimensions[places[i]]);
        windows.push_back({dimensions[i].role, kernels[i], strides[i]});
        elements *= kernels[i]; // at most 10^18
    }
    if (elements > std::numeric_limits<std::int32_t>::max())
        fail(too_many_elements, call.callee.where, {call.callee.text});
    if (const auto setting = window_setting(arguments, "stride"))
        for (std::size_t i = 0; const std::int64_t number : window_numbers(context(), *setting, dimensions, 1))
            windows[i++].stride = number;
    if (const auto setting = window_setting(arguments, "dilation"))
        for (std::size_t i = 0; const std::int64_t number : window_numbers(context(), *setting, dimensions, 1))
            windows[i++].dilation = number;
    const auto padding = window_setting(arguments, "padding");
    if (padding)
        set_padding(context(), *padding, dimensions, windows);
    if (call.callee.text == "convolution_transpose") {
        cover(x, places, windows, padding && is_same(*padding), arguments, call);
        return windows;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::int64_t extent = dimensions[i].extent;
        x.dimensions[places[i]].extent = sema::positions(windows[i], extent);
        x.dimensions[places[i]].where = call.callee.where;
        if (x.dimensions[places[i]].extent == 0)
            fail(window_too_large, call.callee.where,
                 {call.callee.text, dimensions[i].role, std::to_string(span(windows[i])),
                  std::to_string(extent + windows[i].before + windows[i].behind)});
    }
    return windows;
}

void Elaborator::cover(TensorValue &x, const std::vector<std::size_t> &places, std::vector<Window> &windows, bool same,
                       const Arguments &arguments, const syntax::Call &call) {
    std::vector<DimensionValue> dimensions;
    for (const std::size_t place : places)
        dimensions.push_back(x.dimensions[place]);
    std::vector<std::int64_t> output_padding(windows.size(), 0);
    if (const auto setting = window_setting(arguments, "output_padding"))
        output_padding = window_numbers(context(), *setting, dimensions, 0);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (output_padding[i] >= windows[i].stride)
            fail(output_padding_too_large, arguments.require("output_padding").where,
                 {std::to_string(output_padding[i]), std::to_string(windows[i].stride)});
        if (same)
            cover_stride(windows[i], output_padding[i]);
        DimensionValue &covers = x.dimensions[places[i]];
        covers.extent = covered(windows[i], dimensions[i].extent, output_padding[i]);
        covers.where = call.callee.where;
        if (covers.extent < 1)
            fail(nothing_covered, call.callee.where, {dimensions[i].role});
    }
}

} // namespace planc::sema
