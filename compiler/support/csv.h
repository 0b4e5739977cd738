// Comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <vector>

namespace planc::support {

/// Returns the text as a field, in quotes if it needs them.
[[nodiscard]] inline std::string csv_field(const std::string &text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

[[nodiscard]] inline std::string csv_line(const std::vector<std::string> &fields) {
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += (i == 0 ? "" : ",") + csv_field(fields[i]);
    return text + "\n";
}

} // namespace planc::support
