#include "ir/subscripts.h"

#include <algorithm>

namespace planc::ir {

namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t begin = text.find_first_not_of(' ', at);
        if (begin == std::string_view::npos)
            break;
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        result.emplace_back(text.substr(begin, end - begin));
        at = end;
    }
    return result;
}

std::string join(const std::vector<std::string> &names) {
    std::string result;
    for (const std::string &name : names)
        result += (result.empty() ? "" : " ") + name;
    return result;
}

} // namespace

std::vector<std::string> Subscripts::loops() const {
    std::vector<std::string> all;
    const auto add = [&](const std::vector<std::string> &names) {
        for (const std::string &name : names)
            if (std::find(all.begin(), all.end(), name) == all.end())
                all.push_back(name);
    };
    for (const auto &operand : operands)
        add(operand);
    add(result);
    return all;
}

std::string Subscripts::text() const {
    std::string all;
    for (std::size_t i = 0; i < operands.size(); ++i)
        all += (i == 0 ? "" : ", ") + join(operands[i]);
    return all + " -> " + join(result);
}

std::optional<Subscripts> parse_subscripts(std::string_view text) {
    const std::size_t arrow = text.find("->");
    if (arrow == std::string_view::npos)
        return std::nullopt;
    Subscripts subscripts;
    std::string_view left = text.substr(0, arrow);
    while (true) {
        const std::size_t comma = left.find(',');
        subscripts.operands.push_back(words(left.substr(0, comma)));
        if (comma == std::string_view::npos)
            break;
        left.remove_prefix(comma + 1);
    }
    subscripts.result = words(text.substr(arrow + 2));
    return subscripts;
}

void exchange(std::vector<std::string> &names, const std::string &a, const std::string &b) {
    for (std::string &name : names)
        if (name == a || name == b)
            name = name == a ? b : a;
}

} // namespace planc::ir
