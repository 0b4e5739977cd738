// One statement of the emitted program while it is written: a text with holes for what differs between alike layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planc::emit {

/// The content of one place in a statement.
struct Hole {
    enum class Kind : std::uint8_t {
        place,    ///< a temporary's bytes from the start of the arena
        variable, ///< those of a variable
        number,
        text,
    };
    Kind kind = Kind::number;
    std::int64_t number = 0;
    std::string text;  ///< of text: without quotes
    std::string name;  ///< its form in a statement on its own: "at::h1_w", "3", "\"h1.mask\""
    std::string title; ///< of places: "h1.w"
    std::string shape; ///< of places: "[pixel: 64, hidden: 256]"
};

class Statement {
  public:
    /// head + parts, broken where lines become too long, + tail; each may contain holes, as returned by place() and the
    /// others.
    std::string head;
    std::vector<std::string> parts;
    std::string tail;
    std::string comment; ///< lines before it, with their "// "
    std::string layer;   ///< that it belongs to
    std::string alike;   ///< statements are alike only if this is equal too

    /// The mark of a hole.
    std::string hole(Hole hole);
    [[nodiscard]] const std::vector<Hole> &holes() const { return holes_; }
    /// Equal for statements that differ only in the content of their holes.
    [[nodiscard]] std::string key() const;
    /// The text of the statement with texts in place of the holes, without the comment.
    [[nodiscard]] std::string text(const std::vector<std::string> &fillings) const;

  private:
    std::vector<Hole> holes_;
};

[[nodiscard]] Hole number_hole(std::int64_t number);
[[nodiscard]] Hole text_hole(const std::string &text);

} // namespace planc::emit
