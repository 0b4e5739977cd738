// A text with places where lines may break, and the renderer that decides where they do. It follows Wadler, "A prettier
// printer" (2003): a group is on one line if it fits; otherwise all of its own breaks become line ends.
//
// Example: group("f(" + nest(soft() + "x," + line() + "y" + when_broken(",")) + soft() + ")")
//   prints  f(x, y)  or, if that is too wide, four lines of which the middle two are indented.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace planc::syntax {

class Document {
  public:
    Document() = default;
    Document(const char *text);        // NOLINT: a literal is a document
    Document(const std::string &text); // NOLINT
    Document &operator+=(const Document &other);
    friend Document operator+(Document a, const Document &b) { return a += b; }

    [[nodiscard]] bool empty() const { return parts_.empty(); }
    /// Renders lines of at most `width` columns where possible. The width does not count the blanks that align rows.
    /// Lines have no trailing blanks.
    [[nodiscard]] std::string render(int width) const;

    struct Node;

  private:
    friend Document make_document(Node node);
    friend Document nest(const Document &inner);
    friend Document group(const Document &inner);
    friend Document body_group(const Document &inner);

    std::vector<std::shared_ptr<const Node>> parts_;
    bool breaks_ = false; ///< contains a break that is always a line end, so the groups around it break too
    bool body_ = false;   ///< contains a body_group
};

[[nodiscard]] Document line();                                    ///< a blank, or a line end
[[nodiscard]] Document soft();                                    ///< nothing, or a line end
[[nodiscard]] Document hard();                                    ///< a line end
[[nodiscard]] Document blank_line();                              ///< two line ends
[[nodiscard]] Document when_flat(const std::string &text);        ///< nothing if the group is broken
[[nodiscard]] Document when_broken(const std::string &text);      ///< nothing if the group is on one line
[[nodiscard]] Document comment(const std::string &text);          ///< does not count as width
[[nodiscard]] Document trailing_comment(const std::string &text); ///< after an item; aligned with those of successive
                                                                  ///< rows
[[nodiscard]] Document value_stop();                              ///< before an ` = ` that is aligned with others
[[nodiscard]] Document row(const Document &inner);                ///< an item that may be alone on its line (align.h)
[[nodiscard]] Document nest(const Document &inner);               ///< indents the line ends inside by 4 more
[[nodiscard]] Document group(const Document &inner);
[[nodiscard]] Document
body_group(const Document &inner); ///< breaks before groups in front of it: so do those around it

} // namespace planc::syntax
