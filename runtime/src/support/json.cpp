#include "support/json.h"

#include "support/failure.h"

#include <algorithm>
#include <charconv>

namespace planrt {

std::string json_quoted(std::string_view words) {
    std::string result = "\"";
    for (const char letter : words) {
        if (letter == '"' || letter == '\\')
            result += '\\';
        if (static_cast<unsigned char>(letter) < 0x20)
            result += text("\\u%04x", letter);
        else
            result += letter;
    }
    return result + "\"";
}

const JsonValue *JsonValue::member(std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name)
            return &values[i];
    return nullptr;
}

namespace {

class Parser {
  public:
    explicit Parser(std::string_view words) : words_(words) {}

    JsonValue document() {
        JsonValue result = value(0);
        skip_blanks();
        if (next_ != words_.size())
            fail("text after the end");
        return result;
    }

  private:
    static constexpr int deepest = 64;

    [[noreturn]] void fail(const char *reason) const { throw Failure(text("JSON: %s at byte %zu", reason, next_)); }

    void skip_blanks() {
        while (next_ < words_.size() && std::string_view(" \t\r\n").find(words_[next_]) != std::string_view::npos)
            ++next_;
    }

    bool accept(std::string_view token) {
        skip_blanks();
        if (!words_.substr(next_).starts_with(token))
            return false;
        next_ += token.size();
        return true;
    }

    void expect(std::string_view token) {
        if (!accept(token))
            fail(("expected " + std::string(token)).c_str());
    }

    JsonValue value(int depth) {
        if (depth > deepest)
            fail("nested too deeply");
        JsonValue result;
        skip_blanks();
        if (accept("{")) {
            result.kind = JsonValue::Kind::object;
            members(result, depth);
        } else if (accept("[")) {
            result.kind = JsonValue::Kind::array;
            elements(result, depth);
        } else if (next_ < words_.size() && words_[next_] == '"') {
            result.kind = JsonValue::Kind::string;
            result.string = string();
        } else if (accept("true")) {
            result.kind = JsonValue::Kind::boolean;
            result.boolean = true;
        } else if (accept("false")) {
            result.kind = JsonValue::Kind::boolean;
        } else if (!accept("null")) {
            result.kind = JsonValue::Kind::number;
            result.number = number();
        }
        return result;
    }

    void members(JsonValue &result, int depth) {
        if (accept("}"))
            return;
        do {
            skip_blanks();
            result.names.push_back(string());
            expect(":");
            result.values.push_back(value(depth + 1));
        } while (accept(","));
        expect("}");
        std::vector<std::string_view> sorted(result.names.begin(), result.names.end());
        std::ranges::sort(sorted);
        if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
            fail((json_quoted(*twice) + " twice in an object that ends").c_str());
    }

    void elements(JsonValue &result, int depth) {
        if (accept("]"))
            return;
        do
            result.values.push_back(value(depth + 1));
        while (accept(","));
        expect("]");
    }

    double number() {
        double result = 0;
        const char *end = words_.data() + words_.size();
        const auto [rest, error] = std::from_chars(words_.data() + next_, end, result);
        if (error != std::errc{})
            fail("expected a value");
        next_ = static_cast<std::size_t>(rest - words_.data());
        return result;
    }

    std::string string() {
        expect("\"");
        std::string result;
        while (next_ < words_.size() && words_[next_] != '"') {
            const char letter = words_[next_++];
            if (letter == '\\')
                escape(result);
            else
                result += letter;
        }
        expect("\"");
        return result;
    }

    void escape(std::string &result) {
        static constexpr std::string_view letters = "\"\\/bfnrt";
        static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (next_ == words_.size())
            fail("unfinished escape");
        const char letter = words_[next_++];
        if (const std::size_t which = letters.find(letter); which != std::string_view::npos)
            result += meanings[which];
        else if (letter == 'u')
            code_point(result);
        else
            fail("unknown escape");
    }

    unsigned four_digits() {
        unsigned result = 0;
        const std::string_view digits = words_.substr(next_, 4);
        const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result, 16);
        if (digits.size() < 4 || error != std::errc{} || rest != digits.data() + 4)
            fail("expected four hexadecimal digits");
        next_ += 4;
        return result;
    }

    void code_point(std::string &result) {
        unsigned code = four_digits();
        if (code >= 0xD800 && code < 0xDC00) {
            expect("\\u");
            code = 0x10000 + ((code - 0xD800) << 10) + ((four_digits() - 0xDC00) & 0x3FF);
        }
        const auto add = [&result](unsigned byte) { result += static_cast<char>(byte); };
        if (code < 0x80) {
            add(code);
        } else if (code < 0x800) {
            add(0xC0 | (code >> 6));
            add(0x80 | (code & 0x3F));
        } else {
            if (code < 0x10000) {
                add(0xE0 | (code >> 12));
            } else {
                add(0xF0 | (code >> 18));
                add(0x80 | ((code >> 12) & 0x3F));
            }
            add(0x80 | ((code >> 6) & 0x3F));
            add(0x80 | (code & 0x3F));
        }
    }

    std::string_view words_;
    std::size_t next_ = 0;
};

} // namespace

JsonValue parse_json(std::string_view text) {
    return Parser(text).document();
}

} // namespace planrt
