// Text in XML, SVG and HTML.
#pragma once

#include <string>

namespace planc::support {

/// Returns the text with XML's special characters as entities.
[[nodiscard]] inline std::string xml_escaped(const std::string &text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

} // namespace planc::support
