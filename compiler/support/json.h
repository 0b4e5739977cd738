// Writes JSON: opens and closes objects and arrays in order, escapes strings, and writes numbers in their shortest
// exact form.
//
//   JsonWriter json;
//   json.begin_object().key("name").value("h1").key("axes").begin_array().value(1).end_array().end_object();
//   json.text() == "{\n  \"name\": \"h1\",\n  \"axes\": [\n    1\n  ]\n}\n"
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planc::support {

/// Returns `text` between quotes, with JSON's escapes.
[[nodiscard]] inline std::string json_quoted(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string quoted = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (c == '\n') {
            quoted += "\\n";
        } else if (c == '\t') {
            quoted += "\\t";
        } else if (byte < 0x20) {
            quoted += "\\u00";
            quoted += digits[byte >> 4];
            quoted += digits[byte & 15];
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// Returns the shortest text that reads back as the same number. JSON has no infinities; they become null.
[[nodiscard]] inline std::string json_number(double number) {
    if (!std::isfinite(number))
        return "null";
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return {buffer, end};
}

class JsonWriter {
  public:
    JsonWriter &begin_object() { return open('{'); }
    JsonWriter &end_object() { return close('}'); }
    JsonWriter &begin_array() { return open('['); }
    JsonWriter &end_array() { return close(']'); }

    JsonWriter &key(std::string_view name) {
        separate();
        text_ += json_quoted(name) + ": ";
        after_key_ = true;
        return *this;
    }

    JsonWriter &value(std::string_view string) { return raw(json_quoted(string)); }
    JsonWriter &value(const char *string) { return value(std::string_view(string)); }
    JsonWriter &value(const std::string &string) { return value(std::string_view(string)); }
    JsonWriter &value(bool truth) { return raw(truth ? "true" : "false"); }
    JsonWriter &value(double number) { return raw(json_number(number)); }
    template <std::integral T> JsonWriter &value(T number) { return raw(std::to_string(number)); }

    template <class T> JsonWriter &member(std::string_view name, const T &v) { return key(name).value(v); }

    /// Returns the document. It is complete once everything that was opened is closed.
    [[nodiscard]] std::string text() const { return text_ + "\n"; }

  private:
    void separate() {
        if (after_key_) {
            after_key_ = false;
            return;
        }
        if (used_.empty())
            return;
        if (used_.back())
            text_ += ',';
        used_.back() = true;
        new_line();
    }
    void new_line() { text_ += '\n' + std::string(2 * used_.size(), ' '); }
    JsonWriter &raw(std::string_view token) {
        separate();
        text_ += token;
        return *this;
    }
    JsonWriter &open(char bracket) {
        separate();
        text_ += bracket;
        used_.push_back(false);
        return *this;
    }
    JsonWriter &close(char bracket) {
        const bool used = used_.back();
        used_.pop_back();
        if (used)
            new_line();
        text_ += bracket;
        return *this;
    }

    std::string text_;
    std::vector<bool> used_; ///< per open bracket: whether it has a member yet
    bool after_key_ = false;
};

} // namespace planc::support
