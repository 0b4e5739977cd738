#include "emit/layers_alike/statement.h"

#include "emit/names/text.h"

namespace planc::emit {

namespace {

// Around the number of a hole; no text contains them.
constexpr char mark = '\x01';
constexpr char end_mark = '\x02';

std::string filled_in(const std::string &text, const std::vector<std::string> &fillings) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != mark) {
            result += text[i];
            continue;
        }
        const std::size_t end = text.find(end_mark, i);
        result += fillings[std::stoul(text.substr(i + 1, end - i - 1))];
        i = end;
    }
    return result;
}

} // namespace

std::string Statement::hole(Hole hole) {
    holes_.push_back(std::move(hole));
    return mark + std::to_string(holes_.size() - 1) + end_mark;
}

std::string Statement::key() const {
    std::string key = head + joined(parts, "\n") + tail + "\n" + alike + "\n";
    for (const Hole &hole : holes_)
        key += std::to_string(static_cast<int>(hole.kind));
    return key;
}

std::string Statement::text(const std::vector<std::string> &fillings) const {
    std::vector<std::string> filled;
    for (const std::string &part : parts)
        filled.push_back(filled_in(part, fillings));
    return wrapped(filled_in(head, fillings), filled, filled_in(tail, fillings), 8);
}

Hole number_hole(std::int64_t number) {
    Hole hole;
    hole.kind = Hole::Kind::number;
    hole.number = number;
    hole.name = std::to_string(number);
    return hole;
}

Hole text_hole(const std::string &text) {
    Hole hole;
    hole.kind = Hole::Kind::text;
    hole.text = text;
    hole.name = string_literal(text);
    return hole;
}

} // namespace planc::emit
