#include "graph/words.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace planrt {

namespace {

bool is_blank(char letter) {
    return letter == ' ' || letter == '\t';
}

std::string_view without_plus(std::string_view word) {
    return word.size() > 1 && word[0] == '+' && word[1] != '-' ? word.substr(1) : word;
}

template <class T> std::optional<T> parse(std::string_view word) {
    const std::string_view digits = without_plus(word);
    T value{};
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || rest != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

} // namespace

std::string_view next_word(std::string_view &line) {
    std::size_t begin = 0;
    while (begin < line.size() && is_blank(line[begin]))
        ++begin;
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end]))
        ++end;
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

std::string_view next_cell(std::string_view &line) {
    const std::size_t comma = std::min(line.find(','), line.size());
    std::string_view cell = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
    const auto outside = [](char letter) { return is_blank(letter) || letter == '"'; };
    while (!cell.empty() && outside(cell.front()))
        cell.remove_prefix(1);
    while (!cell.empty() && outside(cell.back()))
        cell.remove_suffix(1);
    return cell;
}

std::optional<std::int64_t> whole_number(std::string_view word) {
    return parse<std::int64_t>(word);
}

std::optional<double> real_number(std::string_view word) {
    const std::optional<double> value = parse<double>(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string quoted(std::string_view word) {
    constexpr std::size_t longest = 40;
    return "'" + std::string(word.substr(0, longest)) + "'";
}

} // namespace planrt
