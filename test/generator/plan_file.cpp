#include "plan_file.h"

#include <algorithm>

namespace planc::test {

namespace {

std::string block(const std::string &head, const std::vector<std::string> &lines) {
    std::string text = head + " {\n";
    for (const std::string &line : lines)
        text += "    " + line + "\n";
    return text + "}\n";
}

} // namespace

std::string PlanFile::text() const {
    std::string text = "import \"std/dense.plan\"\n\n";
    for (const std::string &declaration : declarations)
        text += declaration + "\n";
    text += "\n" + block(signature, statements);
    text += "\ndata fields = " + data + "\n\n" + training;
    std::string mesh;
    for (const auto &[name, size] : axes)
        mesh += (mesh.empty() ? "" : ", ") + name + ": " + std::to_string(size);
    text += "\nmesh grid = [" + mesh + "]\n\n";
    text += block("layout rules on grid", rules);
    text += block("layout searched on grid = auto", pins);
    return text;
}

int PlanFile::stages() const {
    const auto axis =
        std::find_if(axes.begin(), axes.end(), [](const auto &each) { return each.first == pipeline_axis; });
    const bool any =
        std::any_of(rules.begin(), rules.end(), [](const auto &rule) { return rule.starts_with("pipeline"); });
    return any && axis != axes.end() ? axis->second : 1;
}

} // namespace planc::test
