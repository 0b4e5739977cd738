#include "emit/names/local_extents.h"

#include "emit/names/text.h"

#include <algorithm>

namespace planc::emit {

std::string LocalExtents::axes(const std::vector<std::string> &names) {
    if (names.empty())
        return "{}";
    std::string &name = axes_[names];
    if (name.empty())
        name = globals_.add("over_" + joined(names, "_"));
    return name;
}

std::string LocalExtents::axes_arrays() const {
    std::string text;
    for (const auto &[names, array] : axes_) {
        std::vector<std::string> numbers;
        for (const std::string &name : names)
            numbers.push_back(std::to_string(std::find(mesh_.begin(), mesh_.end(), name) - mesh_.begin()));
        text += "constexpr int " + array + "[] = {" + joined(numbers) + "};\n";
    }
    return text.empty() ? "" : "// Axes of the mesh by number, major first.\n" + text + "\n";
}

std::string LocalExtents::of(const ExtentParameter &parameter) {
    if (parameter.dimension.axes.empty())
        return std::to_string(parameter.begin ? 0 : parameter.dimension.extent);
    const auto same = [&](const Variable &variable) {
        return variable.parameter.begin == parameter.begin && variable.parameter.dimension == parameter.dimension;
    };
    auto at = std::find_if(variables_.begin(), variables_.end(), same);
    if (at == variables_.end()) {
        for (const schedule::LoopDimension &dimension : parameter.dimension.within)
            (void)of({dimension, false}); // its variable comes first
        const std::string base = parameter.dimension.role + part_name(parameter.dimension) +
                                 (parameter.begin ? " begin " : " ") + axes(parameter.dimension.axes);
        at = variables_.insert(at, {parameter, unique_.add(base)});
    }
    return "local." + at->name;
}

std::string LocalExtents::declaration() const {
    if (variables_.empty())
        return "";
    std::string text = "// This rank's part of dimensions that are cut.\nstruct Local {\n";
    for (const Variable &variable : variables_)
        text +=
            "    int64_t " + variable.name + "; // of " + std::to_string(variable.parameter.dimension.extent) + "\n";
    return text + "} local;\n\n";
}

std::string LocalExtents::whole(const schedule::LoopDimension &dimension) {
    if (dimension.within.empty())
        return std::to_string(dimension.extent);
    std::vector<std::string> factors;
    for (const schedule::LoopDimension &factor : dimension.within)
        factors.push_back(of({factor, false}));
    return joined(factors, " * ");
}

std::string LocalExtents::set_up() {
    std::string text;
    for (const Variable &variable : variables_)
        text += "    local." + variable.name + " = context." +
                (variable.parameter.begin ? "local_begin(" : "local_extent(") + whole(variable.parameter.dimension) +
                ", " + axes(variable.parameter.dimension.axes) +
                (variable.parameter.dimension.window ? ", " + text_of(*variable.parameter.dimension.window) : "") +
                ");\n";
    return text;
}

std::string text_of(const planrt::Window &window) {
    const std::vector<std::string> numbers{std::to_string(window.positions), std::to_string(window.kernel),
                                           std::to_string(window.stride),    std::to_string(window.dilation),
                                           std::to_string(window.padding),   window.transposed ? "true" : "false"};
    static constexpr const char *parts[] = {"", ", planrt::WindowPart::before", ", planrt::WindowPart::within",
                                            ", planrt::WindowPart::behind"};
    if (window.matrix != 0)
        return "planrt::Window{.positions = " + numbers[0] + ", .matrix = " + std::to_string(window.matrix) +
               ", .row_cuts = " + std::to_string(window.row_cuts) + (window.addends ? ", .addends = true}" : "}");
    return "planrt::Window{" + joined(numbers) + parts[static_cast<int>(window.part)] + "}";
}

std::string part_name(const schedule::LoopDimension &dimension) {
    static constexpr const char *names[] = {" with halo", " before", " without halo", " behind"};
    if (dimension.window && dimension.window->matrix != 0)
        return dimension.window->addends ? " as touched" : " as needed";
    return dimension.window ? names[static_cast<int>(dimension.window->part)] : "";
}

std::string describe(ir::TensorType type) {
    std::vector<std::string> dimensions;
    for (const schedule::LoopDimension &dimension : schedule::dimensions_of(type))
        dimensions.push_back(dimension.role + ": " + std::to_string(dimension.extent) +
                             (dimension.axes.empty() ? "" : " over " + joined(dimension.axes, " and ")) +
                             part_name(dimension));
    std::vector<std::string> stored;
    if (type.getLayout())
        for (mlir::StringAttr axis : type.getLayout().getStored())
            stored.push_back(axis.str());
    return "[" + joined(dimensions) + "]" + (stored.empty() ? "" : " in shares over " + joined(stored, " and "));
}

} // namespace planc::emit
