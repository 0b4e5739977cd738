#include "conv_network.h"

namespace planc::interpret {

int uniform(Random &random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

namespace {

std::string dimension(const std::string &role, std::int64_t extent) {
    return role + ": " + std::to_string(extent) + ", ";
}

/// `item(window)` of every window, with commas.
template <class Item> std::string list(const std::vector<ConvWindow> &windows, Item item) {
    std::string text;
    for (const ConvWindow &window : windows)
        text += (text.empty() ? "" : ", ") + item(window);
    return "[" + text + "]";
}

std::string names(const std::vector<ConvWindow> &windows, const std::string &suffix) {
    return list(windows, [&](const ConvWindow &each) { return '"' + each.role + suffix + '"'; });
}

/// Everything that says how windows move.
std::string numbers(const std::vector<ConvWindow> &windows) {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    return " strides " + list(windows, [&](const ConvWindow &each) { return number(each.stride); }) + " dilations " +
           list(windows, [&](const ConvWindow &each) { return number(each.dilation); }) + " paddings " +
           list(windows, [&](const ConvWindow &each) { return number(each.before) + ", " + number(each.behind); });
}

bool touches_an_element(const ConvWindow &window, std::int64_t position) {
    for (std::int64_t k = 0; k < window.kernel; ++k) {
        const std::int64_t at = position * window.stride - window.before + k * window.dilation;
        if (at >= 0 && at < window.extent)
            return true;
    }
    return false;
}

/// A window that touches an element at each position: else there would be no maximum.
ConvWindow random_pool_window(Random &random, const std::string &role, std::int64_t extent) {
    while (true) {
        const ConvWindow window = random_window(random, role, extent);
        bool all = true;
        for (std::int64_t position = 0; position < window.positions(); ++position)
            all = all && touches_an_element(window, position);
        if (all)
            return window;
    }
}

} // namespace

std::string ConvLayer::input_type() const {
    std::string text = dimension("batch", batch);
    for (const ConvWindow &window : windows)
        text += dimension(window.role, window.extent);
    return "!plan.tensor<" + text + (groups > 0 ? dimension("group", groups) : "") + dimension(in_role, in) + "f64>";
}

std::string ConvLayer::weight_type() const {
    std::string text = groups > 0 ? dimension("group", groups) : "";
    for (const ConvWindow &window : windows)
        text += dimension(window.role + "_kernel", window.kernel);
    return "!plan.tensor<" + text + dimension(in_role, in) + dimension(out_role, out) + "f64>";
}

std::string ConvLayer::output_type() const {
    std::string text = dimension("batch", batch);
    for (const ConvWindow &window : windows)
        text += dimension(window.role, window.positions());
    return "!plan.tensor<" + text + (groups > 0 ? dimension("group", groups) : "") + dimension(out_role, out) + "f64>";
}

std::string ConvLayer::operation(const std::string &kind, const std::string &first, const std::string &second) const {
    std::string places = "batch";
    std::string kernels = groups > 0 ? "group" : "";
    for (const ConvWindow &window : windows) {
        places += " " + window.role;
        kernels += " " + window.role + "_kernel";
    }
    places += groups > 0 ? " group " : " ";
    const std::string x = places + in_role;
    const std::string y = places + out_role;
    const std::string w = kernels + " " + in_role + " " + out_role;
    const bool backward = kind == "input_gradient";
    const bool weights = kind == "weight_gradient";
    const std::string subscripts = (backward ? y : x) + ", " + (weights ? y : w) + " -> " +
                                   (backward  ? x
                                    : weights ? w
                                              : y);
    return "plan.conv \"" + kind + "\" \"" + subscripts + "\" (" + first + ", " + second + ") windows " +
           names(windows, "") + " kernels " + names(windows, "_kernel") + numbers(windows) + " {layer = \"" + name +
           "\", phase = \"" +
           (backward  ? "input gradient"
            : weights ? "weight gradient"
                      : "forward") +
           "\"} : (" + (backward ? output_type() : input_type()) + ", " + (weights ? output_type() : weight_type()) +
           ") -> " +
           (backward  ? input_type()
            : weights ? weight_type()
                      : output_type());
}

std::string ConvLayer::pooled_type(const std::string &element) const {
    std::string text = dimension("batch", batch);
    for (std::size_t i = 0; i < windows.size(); ++i)
        text += dimension(windows[i].role, pool.empty() ? windows[i].positions() : pool_windows[i].positions());
    return "!plan.tensor<" + text + (groups > 0 ? dimension("group", groups) : "") + dimension(out_role, out) +
           element + ">";
}

std::string ConvLayer::pool_operation(const std::string &kind, const std::string &operands) const {
    const bool backward = kind.ends_with("_gradient");
    std::string types = backward ? pooled_type() : output_type();
    if (kind == "max_gradient")
        types += ", " + pooled_type("i32");
    return "plan.pool \"" + kind + "\" (" + operands + ") windows " + names(pool_windows, "") + " kernels " +
           list(pool_windows, [](const ConvWindow &each) { return std::to_string(each.kernel); }) +
           numbers(pool_windows) + " {layer = \"" + pool_name() + "\", phase = \"" +
           (backward ? "input gradient" : "forward") + "\"} : (" + types + ") -> " +
           (backward           ? output_type()
            : kind == "argmax" ? pooled_type("i32")
                               : pooled_type());
}

ConvWindow random_window(Random &random, const std::string &role, std::int64_t extent) {
    while (true) {
        const ConvWindow window{role,
                                extent,
                                uniform(random, 1, 4),
                                uniform(random, 1, 3),
                                uniform(random, 1, 2),
                                uniform(random, 0, 2),
                                uniform(random, 0, 2)};
        if (extent + window.before + window.behind > (window.kernel - 1) * window.dilation)
            return window;
    }
}

std::vector<ConvLayer> random_chain(Random &random) {
    static const char *const roles[] = {"height", "width", "depth"};
    std::vector<ConvLayer> chain;
    ConvLayer next;
    const int dimensions = uniform(random, 1, 3);
    next.batch = uniform(random, 1, 3);
    next.groups = uniform(random, 0, 2);
    next.out = uniform(random, 1, 3);
    for (int d = 0; d < dimensions; ++d)
        next.windows.push_back({roles[d], uniform(random, 1, 11 - 3 * dimensions)});
    for (int layers = uniform(random, 1, 3), l = 1; l <= layers; ++l) {
        next.name = "conv" + std::to_string(l);
        next.in = next.out;
        next.out = uniform(random, 1, 3);
        next.in_role = "channel" + std::to_string(l - 1);
        next.out_role = "channel" + std::to_string(l);
        for (ConvWindow &window : next.windows)
            window = random_window(random, window.role, window.extent);
        next.pool = std::vector<std::string>{"", "max", "sum"}[static_cast<std::size_t>(uniform(random, 0, 2))];
        next.pool_windows.clear();
        for (const ConvWindow &window : next.windows)
            next.pool_windows.push_back(random_pool_window(random, window.role, window.positions()));
        chain.push_back(next);
        for (std::size_t i = 0; i < next.windows.size(); ++i)
            next.windows[i].extent = next.pool.empty() ? next.windows[i].positions() : next.pool_windows[i].positions();
    }
    return chain;
}

std::string training_step(const std::vector<ConvLayer> &chain) {
    std::string variables;
    std::string body;
    const auto line = [&body](const std::string &text) { body += "  " + text + "\n"; };
    const auto pointwise = [](const std::string &function, const std::string &operands, const std::string &types,
                              const std::string &result, const std::string &attributes) {
        return "plan.pointwise \"" + function + "\"(" + operands + ") {" + attributes + "} : (" + types + ") -> " +
               result;
    };
    std::string x = "%x";
    std::vector<std::string> inputs;
    for (const ConvLayer &layer : chain) {
        const std::string w = layer.name + ".w";
        const std::string where = "layer = \"" + layer.name + "\", phase = \"forward\"";
        variables += "plan.variable @" + w + " : " + layer.weight_type() +
                     " = #plan.init<uniform, -1.0, 1.0> {layer = \"" + layer.name + "\", trained}\n";
        line("%" + layer.name + "_w = plan.read @" + w + " {" + where + "} : " + layer.weight_type());
        inputs.push_back(x);
        line("%" + layer.name + " = " + layer.operation("forward", x, "%" + layer.name + "_w"));
        x = "%" + layer.name + "_square";
        line(x + " = " + pointwise("square", "%" + layer.name, layer.output_type(), layer.output_type(), where));
        if (layer.pool.empty())
            continue;
        if (layer.pool == "max")
            line("%" + layer.pool_name() + "_at = " + layer.pool_operation("argmax", x));
        line("%" + layer.pool_name() + " = " + layer.pool_operation(layer.pool, x));
        x = "%" + layer.pool_name();
    }
    const ConvLayer &last = chain.back();
    line("%loss = plan.reduce \"sum\"(" + x + ") {layer = \"loss\", phase = \"loss\"} : (" + last.pooled_type() +
         ") -> !plan.tensor<f64>");
    std::string gradient = x; // as good as any other
    for (std::size_t l = chain.size(); l-- > 0;) {
        const ConvLayer &layer = chain[l];
        const std::string w = "%" + layer.name + "_w";
        const std::string type = layer.weight_type();
        if (!layer.pool.empty()) {
            const std::string found = layer.pool == "max" ? ", %" + layer.pool_name() + "_at" : "";
            const std::string made = "%" + layer.pool_name() + "_gradient";
            line(made + " = " + layer.pool_operation(layer.pool + "_gradient", gradient + found));
            gradient = made;
        }
        line(w + "_gradient = " + layer.operation("weight_gradient", inputs[l], gradient));
        line(w + "_new = " +
             pointwise("sub", w + ", " + w + "_gradient", type + ", " + type, type,
                       "layer = \"" + layer.name + "\", parameter = \"" + layer.name + ".w\", phase = \"update\""));
        line("plan.write " + w + "_new, @" + layer.name + ".w {layer = \"" + layer.name +
             "\", phase = \"update\"} : " + type);
        if (l > 0) {
            line("%" + layer.name + "_gradient = " + layer.operation("input_gradient", gradient, w));
            gradient = "%" + layer.name + "_gradient";
        }
    }
    return variables + "func.func @train(%x: " + chain.front().input_type() +
           " {plan.input = \"x\"}) -> !plan.tensor<f64> {\n" + body + "  return %loss : !plan.tensor<f64>\n}\n";
}

} // namespace planc::interpret
