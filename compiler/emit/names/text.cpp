#include "emit/names/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace planc::emit {

std::string string_literal(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || c == '?') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            const std::array<char, 5> octal{'\\', static_cast<char>('0' + byte / 64),
                                            static_cast<char>('0' + byte / 8 % 8), static_cast<char>('0' + byte % 8),
                                            '\0'};
            result += octal.data();
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string comment(std::string_view text) {
    std::string result;
    for (char c : text)
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    while (!result.empty() && result.back() == ' ')
        result.pop_back();
    if (!result.empty() && result.back() == '\\')
        result += " ."; // a backslash at the end would join the next line
    return result;
}

std::string number(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

namespace {

/// How good a place before the operator is to break a line: the weaker it binds, the better.
int rank_of(char operation) {
    const std::size_t at = std::string_view("*+-:?").find(operation);
    return at == std::string_view::npos ? 0 : static_cast<int>(at) + 1;
}

/// Where to break `line` so that its first part fits `width` columns: after the last comma, else before the weakest
/// operator, never within a string or a subscript; npos: nowhere.
std::size_t break_at(std::string_view line, std::size_t begin, std::size_t width) {
    std::size_t place = std::string_view::npos;
    int best = 0;
    bool in_string = false;
    int subscripts = 0;
    for (std::size_t i = 0; i + 2 < std::min(line.size(), width); ++i) {
        if (line[i] == '\\')
            ++i;
        else if (line[i] == '"')
            in_string = !in_string;
        if (in_string)
            continue;
        subscripts += line[i] == '[' ? 1 : line[i] == ']' ? -1 : 0;
        if (subscripts > 0 || i <= begin)
            continue;
        const bool comma = line.substr(i, 2) == ", ";
        const int rank = comma ? 10 : line[i] == ' ' && line[i + 2] == ' ' ? rank_of(line[i + 1]) : 0;
        if (rank > 0 && rank >= best) {
            best = rank;
            place = comma ? i + 2 : i + 1;
        }
    }
    return place;
}

} // namespace

std::string broken_lines(std::string_view text) {
    constexpr std::size_t width = 120;
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string line(text.substr(0, end));
        text.remove_prefix(end);
        const std::size_t indent = line.find_first_not_of(' ');
        const bool is_comment = line.compare(std::min(indent, line.size()), 2, "//") == 0;
        if (const std::size_t behind = line.rfind(", // ");
            !is_comment && line.size() > width + 1 && behind != std::string::npos) { // the comment goes before the row
            result +=
                broken_lines(std::string(indent, ' ') + line.substr(behind + 2)) + line.substr(0, behind + 1) + "\n";
            continue;
        }
        const std::string next =
            std::string(indent == std::string::npos ? 0 : indent, ' ') + (is_comment ? "//   " : "    ");
        const bool is_directive = line.compare(std::min(indent, line.size()), 1, "#") == 0;
        while (line.size() > width + 1) {
            // A directive goes on behind a backslash, with its next clause.
            const std::size_t clause = is_directive ? line.rfind(" reduction(", width - 2) : std::string::npos;
            const std::size_t at = !is_directive ? break_at(line, next.size(), width)
                                   : clause == std::string::npos || clause < next.size() ? std::string::npos
                                                                                         : clause + 1;
            if (at == std::string::npos)
                break;
            std::string head = line.substr(0, at);
            head.erase(head.find_last_not_of(' ') + 1);
            result += head + (is_directive ? " \\\n" : "\n");
            line = next + line.substr(at);
        }
        result += line;
    }
    return result;
}

std::string within_layer(std::string title, const std::string &layer) {
    for (const char *separator : {".", " "})
        if (const std::size_t at = title.find(layer + separator);
            at != std::string::npos && (at == 0 || title[at - 1] == ' '))
            title.erase(at, layer.size() + 1);
    return title;
}

std::string boolean(bool value) {
    return value ? "true" : "false";
}

std::string braces(const std::vector<std::string> &parts) {
    return "{" + joined(parts) + "}";
}

std::string joined(const std::vector<std::string> &parts, std::string_view separator) {
    std::string result;
    for (const std::string &part : parts) {
        if (&part != &parts.front())
            result += separator;
        result += part;
    }
    return result;
}

std::string wrapped(std::string_view head, const std::vector<std::string> &parts, std::string_view tail,
                    std::size_t indent) {
    constexpr std::size_t width = 120;
    std::string result(head);
    std::size_t column = head.size() - (head.rfind('\n') == std::string_view::npos ? 0 : head.rfind('\n') + 1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part = parts[i] + (i + 1 < parts.size() ? "," : std::string(tail));
        if (i > 0 && column + 1 + part.size() > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (i > 0) {
            result += ' ';
            ++column;
        }
        result += part;
        column += part.size();
    }
    return parts.empty() ? result + std::string(tail) : result;
}

} // namespace planc::emit
