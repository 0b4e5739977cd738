#include "plan_file.h"

#include <algorithm>
#include <sstream>

namespace planc::test {

namespace {

std::string block(const std::string &head, const std::vector<std::string> &lines) {
    std::string text = head + " {\n";
    for (const std::string &line : lines)
        text += "    " + line + "\n";
    return text + "}\n";
}

std::string size_text(const GridAxis &axis) {
    std::string list;
    for (const int size : axis.sizes)
        list += (list.empty() ? "[" : ", ") + std::to_string(size);
    return list.empty() ? std::to_string(axis.size) : list + "]";
}

} // namespace

std::string PlanFile::text() const {
    std::string text = "import \"std/dense.plan\"\n\n";
    for (const std::string &declaration : declarations)
        text += declaration + "\n";
    text += "\n" + block(signature, statements);
    text += "\ndata fields = " + data + "\n\n" + training;
    std::string mesh;
    for (const GridAxis &axis : axes)
        mesh += (mesh.empty() ? "" : ", ") + axis.name + ": " + size_text(axis);
    text += "\nmesh grid = [" + mesh + "]\n\n";
    text += block("layout rules on grid", rules);
    text += block("layout searched on grid = auto", pins);
    return text;
}

std::string PlanFile::text_with_data() const {
    std::string all = text();
    for (const DataFile &file : files) {
        all += "// " + file.name + ":\n";
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);)
            all += "//   " + line + "\n";
    }
    return all;
}

int PlanFile::ranks() const {
    std::size_t positions = 1; // of unequal numbers of ranks
    for (const GridAxis &axis : axes)
        positions = std::max(positions, axis.sizes.size());
    int ranks = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        int here = 1;
        for (const GridAxis &axis : axes)
            if (positions == 1 || axis.name != pipeline_axis)
                here *= axis.sizes.empty() ? axis.size : axis.sizes[position];
        ranks += here;
    }
    return ranks;
}

int PlanFile::stages() const {
    const auto axis = std::ranges::find(axes, pipeline_axis, &GridAxis::name);
    const bool any =
        std::any_of(rules.begin(), rules.end(), [](const auto &rule) { return rule.starts_with("pipeline"); });
    return any && axis != axes.end() ? axis->size : 1;
}

} // namespace planc::test
