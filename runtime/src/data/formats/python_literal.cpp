#include "data/formats/python_literal.h"

#include "support/plain_failure.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace planrt {

const PythonValue *PythonValue::member(std::string_view key) const {
    for (std::size_t i = keys.size(); i-- > 0;)
        if (keys[i].kind == Kind::string && keys[i].string == key)
            return &values[i];
    return nullptr;
}

namespace {

using Kind = PythonValue::Kind;

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

void add_utf8(std::string &to, std::uint32_t code) {
    const auto add = [&to](std::uint32_t byte) { to += static_cast<char>(byte); };
    if (code < 0x80)
        return add(code);
    if (code < 0x800) {
        add(0xC0 | (code >> 6));
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        add(0x80 | ((code >> 6) & 0x3F));
    } else {
        add(0xF0 | ((code >> 18) & 0x07));
        add(0x80 | ((code >> 12) & 0x3F));
        add(0x80 | ((code >> 6) & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    PythonValue whole() {
        PythonValue result = value(0);
        skip_blanks();
        if (at_ != text_.size())
            fail("expected its end");
        return result;
    }

  private:
    static constexpr int deepest = 32;

    [[noreturn]] void fail(const std::string &what) const { throw Failure(what + text(" at byte %zu", at_)); }

    [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_blanks() {
        for (; at_ < text_.size(); ++at_)
            if (next() == '#')
                at_ = std::min(text_.find('\n', at_), text_.size() - 1);
            else if (std::string_view(" \t\r\n\f").find(next()) == std::string_view::npos)
                return;
    }

    bool accept(char letter) {
        skip_blanks();
        if (at_ == text_.size() || next() != letter)
            return false;
        ++at_;
        return true;
    }

    PythonValue value(int depth) {
        if (depth > deepest)
            fail("nested too deeply");
        PythonValue result;
        if (accept('{'))
            dictionary(result, depth);
        else if (accept('['))
            result = elements(Kind::list, ']', depth).first;
        else if (accept('('))
            result = parentheses(depth);
        else if (is_digit(next()) || next() == '-' || next() == '+')
            integer(result);
        else if (next() == '"' || next() == '\'' || is_letter(next()))
            word(result);
        else
            fail("expected a value");
        return result;
    }

    void dictionary(PythonValue &result, int depth) {
        result.kind = Kind::dictionary;
        while (!accept('}')) {
            result.keys.push_back(value(depth + 1));
            if (!accept(':'))
                fail("expected ':'");
            result.values.push_back(value(depth + 1));
            if (!accept(',')) {
                if (!accept('}'))
                    fail("expected ',' or '}'");
                return;
            }
        }
    }

    /// The elements up to `end`, and whether a comma follows the last one.
    std::pair<PythonValue, bool> elements(Kind kind, char end, int depth) {
        PythonValue result;
        result.kind = kind;
        bool comma = false;
        while (!accept(end)) {
            if (!result.values.empty() && !comma)
                fail(std::string("expected ',' or '") + end + "'");
            result.values.push_back(value(depth + 1));
            comma = accept(',');
        }
        return {result, comma};
    }

    /// (3) is 3 in parentheses, (3,) a tuple.
    PythonValue parentheses(int depth) {
        auto [tuple, comma] = elements(Kind::tuple, ')', depth);
        if (tuple.values.size() == 1 && !comma)
            return std::move(tuple.values[0]);
        return std::move(tuple);
    }

    void integer(PythonValue &result) {
        result.kind = Kind::integer;
        std::string digits;
        const bool negative = next() == '-';
        if (next() == '-' || next() == '+')
            ++at_;
        for (; is_digit(next()) || is_letter(next()) || next() == '.'; ++at_)
            if (next() != '_')
                digits += next();
        int base = 10;
        if (digits.size() > 2 && digits[0] == '0') {
            const char letter = static_cast<char>(digits[1] | 0x20);
            base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
            digits.erase(0, base == 10 ? 0 : 2);
        }
        if (digits.ends_with('L') || digits.ends_with('l'))
            digits.pop_back();
        if (negative)
            digits.insert(0, "-");
        const char *end = digits.data() + digits.size();
        const auto [rest, error] = std::from_chars(digits.data(), end, result.integer, base);
        if (error == std::errc::result_out_of_range)
            fail("a number that is too large");
        if (error != std::errc{} || rest != end)
            fail("expected a whole number");
    }

    /// A string with or without a prefix, or a name.
    void word(PythonValue &result) {
        const std::size_t begin = at_;
        while (is_letter(next()) || (at_ > begin && is_digit(next())))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (next() == '"' || next() == '\'') {
            result.kind = Kind::string;
            const bool raw = name.find_first_of("rR") != std::string_view::npos;
            if (name.size() > 2 || name.find_first_not_of("rRbBuU") != std::string_view::npos)
                fail("expected a string");
            for (skip_blanks(); next() == '"' || next() == '\''; skip_blanks()) // strings in a row are one
                string(result.string, raw);
            return;
        }
        result.kind = name == "None" ? Kind::none : Kind::boolean;
        result.boolean = name == "True";
        if (name != "None" && name != "True" && name != "False")
            fail("expected a value");
    }

    void string(std::string &to, bool raw) {
        std::string quotes(1, next());
        if (text_.substr(at_, 3) == std::string(3, next()))
            quotes.append(2, next());
        at_ += quotes.size();
        while (text_.substr(at_, quotes.size()) != quotes) {
            if (at_ >= text_.size() || (quotes.size() == 1 && next() == '\n'))
                fail("expected the end of a string");
            const char letter = text_[at_++];
            if (letter != '\\' || at_ == text_.size()) {
                to += letter;
            } else if (raw) {
                (to += letter) += text_[at_++];
            } else {
                escape(to);
            }
        }
        at_ += quotes.size();
    }

    void escape(std::string &to) {
        static constexpr std::string_view letters = "\\'\"abfnrtv";
        static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
        const char letter = text_[at_++];
        if (const std::size_t which = letters.find(letter); which != std::string_view::npos)
            to += meanings[which];
        else if (letter == 'x')
            add_utf8(to, digits(2, 2, 16));
        else if (letter == 'u')
            add_utf8(to, digits(4, 4, 16));
        else if (letter == 'U')
            add_utf8(to, digits(8, 8, 16));
        else if (letter >= '0' && letter <= '7') {
            --at_;
            add_utf8(to, digits(1, 3, 8));
        } else if (letter != '\n') // which is left out
            (to += '\\') += letter;
    }

    std::uint32_t digits(std::size_t least, std::size_t most, int base) {
        std::uint32_t result = 0;
        const std::string_view words = text_.substr(at_, most);
        const auto [rest, error] = std::from_chars(words.data(), words.data() + words.size(), result, base);
        const auto count = static_cast<std::size_t>(rest - words.data());
        if (error != std::errc{} || count < least)
            fail("expected digits");
        at_ += count;
        return result;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

PythonValue parse_python_literal(std::string_view text) {
    return Parser(text).whole();
}

} // namespace planrt
