#include "convolution_layers.h"

#include <algorithm>

namespace planc::test {

namespace {

/// Multiplications of one convolution, at most: the interpreter makes each of them many times.
constexpr int most_work = 20'000;

} // namespace

Dimensions ConvolutionLayers::image() {
    Dimensions dimensions{batch_, {"height", random_.whole(1, 8)}};
    if (random_.chance(0.7))
        dimensions.push_back({"width", random_.whole(1, 7)});
    dimensions.push_back({random_.pick<std::string>({"channel", "channel", "hidden"}), random_.whole(1, 6)});
    return dimensions;
}

const Value *ConvolutionLayers::with_space() {
    const Value &x = any();
    const std::size_t count = x.dimensions.size();
    const bool fits = (count == 3 || count == 4) && x.dimensions.front().role == "batch";
    return fits ? &x : nullptr;
}

ConvolutionLayers::Window ConvolutionLayers::window(int extent, bool same) {
    Window window{random_.whole(1, 4), random_.whole(1, 3), random_.chance(0.3) ? 2 : 1};
    if (same) {
        const int positions = (extent - 1) / window.stride + 1;
        const int total = std::max((positions - 1) * window.stride + window.span() - extent, 0);
        window.before = total / 2;
        window.behind = total - window.before;
        return window;
    }
    window.before = random_.chance(0.5) ? random_.whole(0, 2) : 0;
    window.behind = random_.chance(0.6) ? window.before : random_.whole(0, 2);
    if (window.span() > extent + window.before + window.behind)
        window = {1, window.stride};
    return window;
}

template <class Number> std::string ConvolutionLayers::numbers(const std::vector<Window> &windows, Number number) {
    std::string list;
    bool equal = true;
    for (const Window &window : windows) {
        list += (list.empty() ? "" : ", ") + number(window);
        equal = equal && number(window) == number(windows.front());
    }
    return equal && number(windows.front()).front() != '[' ? number(windows.front()) : "[" + list + "]";
}

std::string ConvolutionLayers::settings(const std::vector<Window> &windows, bool same) {
    std::string text = ", stride = " + numbers(windows, [](const Window &w) { return std::to_string(w.stride); }) +
                       ", dilation = " + numbers(windows, [](const Window &w) { return std::to_string(w.dilation); });
    if (same)
        return text + ", padding = \"same\"";
    return text + ", padding = " + numbers(windows, [](const Window &w) {
               const std::string before = std::to_string(w.before);
               return w.before == w.behind ? before : "[" + before + ", " + std::to_string(w.behind) + "]";
           });
}

void ConvolutionLayers::convolved() {
    const Value *found = with_space();
    if (found == nullptr)
        return;
    const Value x = *found;
    const bool same = random_.chance(0.3);
    std::vector<Window> windows;
    Dimensions dimensions = x.dimensions;
    int work = batch_.extent * x.dimensions.back().extent;
    for (std::size_t i = 1; i + 1 < x.dimensions.size(); ++i) {
        const Window &w = windows.emplace_back(window(x.dimensions[i].extent, same));
        dimensions[i].extent = (x.dimensions[i].extent + w.before + w.behind - w.span()) / w.stride + 1;
        work *= w.kernel * dimensions[i].extent;
    }
    Dimension out = output(x);
    out.extent = random_.whole(1, 6);
    std::string groups;
    if (const int parts = random_.whole(2, 6); random_.chance(0.5) && x.dimensions.back().extent % parts == 0) {
        out.extent = parts * random_.whole(1, 2);
        groups = ", groups = " + std::to_string(parts);
        primed_.insert({"group_in", "group_out"});
    }
    if (work * out.extent > most_work)
        return;
    if (out.role == x.dimensions.back().role && groups.empty())
        primed_.insert(out.role + "'");
    dimensions.back() = out;
    const std::string call =
        imported("conv", "conv(" + x.name + ", " + word(out) + ", kernel = " +
                             numbers(windows, [](const Window &w) { return std::to_string(w.kernel); }) +
                             settings(windows, same) + groups + (random_.chance(0.4) ? ", bias = false)" : ")"));
    keep("k", random_.chance(0.4) ? call : unary(call), dimensions);
}

void ConvolutionLayers::transposed() {
    const Value *found = with_space();
    if (found == nullptr)
        return;
    const Value x = *found;
    std::vector<Window> windows;
    std::vector<std::string> output_padding;
    Dimensions dimensions = x.dimensions;
    int work = batch_.extent * x.dimensions.back().extent;
    for (std::size_t i = 1; i + 1 < x.dimensions.size(); ++i) {
        const int extent = x.dimensions[i].extent;
        Window w;
        w.kernel = random_.whole(1, 4);
        w.stride = random_.whole(1, 3);
        w.dilation = random_.whole(1, 2);
        const int more = random_.whole(0, w.stride - 1);
        const int covered = (extent - 1) * w.stride + w.span() + more;
        w.before = random_.whole(0, std::min(3, (covered - 1) / 2));
        w.behind = random_.whole(0, std::min(3, (covered - 1) / 2));
        output_padding.push_back(std::to_string(more));
        dimensions[i].extent = covered - w.before - w.behind;
        work *= w.kernel * extent;
        windows.push_back(w);
    }
    Dimension out = output(x);
    out.extent = random_.whole(1, 5);
    if (work * out.extent > most_work)
        return;
    if (out.role == x.dimensions.back().role)
        primed_.insert(out.role + "'");
    dimensions.back() = out;
    if (elements(dimensions) > 2000)
        return;
    std::string more;
    for (const std::string &each : output_padding)
        more += (more.empty() ? "" : ", ") + each;
    const std::string call =
        imported("conv", "conv_transpose(" + x.name + ", " + word(out) + ", kernel = " +
                             numbers(windows, [](const Window &w) { return std::to_string(w.kernel); }) +
                             settings(windows, false) + ", output_padding = [" + more + "]" +
                             (random_.chance(0.4) ? ", bias = false)" : ")"));
    keep("t", random_.chance(0.4) ? call : unary(call), dimensions);
}

bool ConvolutionLayers::always_touches(const Window &window, int extent) {
    const int positions = (extent + window.before + window.behind - window.span()) / window.stride + 1;
    for (int position = 0; position < positions; ++position) {
        bool touches = false;
        for (int k = 0; k < window.kernel; ++k) {
            const int at = position * window.stride - window.before + k * window.dilation;
            touches = touches || (at >= 0 && at < extent);
        }
        if (!touches)
            return false;
    }
    return true;
}

void ConvolutionLayers::pooled() {
    const Value *found = with_space();
    if (found == nullptr)
        return;
    const Value x = *found;
    if (random_.chance(0.2))
        return keep("p", "global_average_pool(" + x.name + ")", {x.dimensions.front(), x.dimensions.back()});
    const bool same = random_.chance(0.3);
    std::vector<Window> windows;
    Dimensions dimensions = x.dimensions;
    bool touches = true;
    for (std::size_t i = 1; i + 1 < x.dimensions.size(); ++i) {
        const Window &w = windows.emplace_back(window(x.dimensions[i].extent, same));
        dimensions[i].extent = (x.dimensions[i].extent + w.before + w.behind - w.span()) / w.stride + 1;
        touches = touches && always_touches(w, x.dimensions[i].extent);
    }
    std::string kind = "average_pool";
    std::string tail = ")";
    if (touches) { // else there are no maxima, and nothing to divide by
        kind = random_.pick<std::string>({"max_pool", "max_pool", "average_pool"});
        if (kind == "average_pool")
            tail = random_.pick<std::string>({")", ", count_padding = true)", ", count_padding = false)"});
    }
    keep("p",
         kind + "(" + x.name +
             ", kernel = " + numbers(windows, [](const Window &w) { return std::to_string(w.kernel); }) +
             settings(windows, same) + tail,
         dimensions);
}

void ConvolutionLayers::tied_windows() {
    const Value *found = with_space();
    if (found == nullptr || found->dimensions.size() != 3)
        return;
    const Value x = *found;
    const Dimension time = x.dimensions[1];
    const Dimension channel = x.dimensions[2];
    if (elements(x.dimensions) * channel.extent > most_work / 10)
        return;
    const std::string w = parameter({{time.role, random_.whole(1, 4)}, channel}); // one window for each channel
    const std::string target = " -> " + names(x.dimensions) + ", padding = \"same\")";
    const Value once = bind("l", "tanh(convolution(" + x.name + ", " + w + target + ")", x.dimensions);
    keep("l", "convolution(" + once.name + ", " + w + target, x.dimensions);
}

} // namespace planc::test
