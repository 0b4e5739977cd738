// Text with places where it may be broken into lines, and the renderer that decides. After Wadler, "A prettier
// printer" (2003): a group is on one line if it fits, else all of its own breaks are line ends.
//
// Example: group("f(" + nest(soft() + "x," + line() + "y" + when_broken(",")) + soft() + ")")
//   prints  f(x, y)  or, too wide, four lines of which the middle two are indented.
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
    /// With lines of at most `width` columns where that is possible, without the blanks that align rows; no blanks at
    /// line ends.
    [[nodiscard]] std::string render(int width) const;

    struct Node;

  private:
    friend Document make_document(Node node);
    friend Document nest(const Document &inner);
    friend Document group(const Document &inner);
    friend Document body_group(const Document &inner);

    std::vector<std::shared_ptr<const Node>> parts_;
    bool breaks_ = false; ///< has a line end that is always one: so have the groups around it
    bool body_ = false;   ///< has a body_group
};

[[nodiscard]] Document line();                                    ///< a blank, or a line end
[[nodiscard]] Document soft();                                    ///< nothing, or a line end
[[nodiscard]] Document hard();                                    ///< a line end
[[nodiscard]] Document blank_line();                              ///< two line ends
[[nodiscard]] Document when_flat(const std::string &text);        ///< nothing where the group is broken
[[nodiscard]] Document when_broken(const std::string &text);      ///< nothing where the group is on one line
[[nodiscard]] Document comment(const std::string &text);          ///< does not count as width
[[nodiscard]] Document trailing_comment(const std::string &text); ///< behind an item; those of successive rows line up
[[nodiscard]] Document value_stop();                              ///< in front of an ` = ` that lines up with others
[[nodiscard]] Document row(const Document &inner);                ///< an item, if it stands on a line alone (align.h)
[[nodiscard]] Document nest(const Document &inner);               ///< line ends inside are indented by 4 more
[[nodiscard]] Document group(const Document &inner);
[[nodiscard]] Document
body_group(const Document &inner); ///< breaks before groups in front of it: so do those around it

} // namespace planc::syntax
