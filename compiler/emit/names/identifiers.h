// Turns the user's names into C++ identifiers that collide with nothing else: no keyword, no macro, and no name in an
// emitted program or the runtime.
//
// Ordinary names are unchanged. Names that C++ may know get a '_' at the end. No macro of a header ends in '_', and no
// other identifier does, because a '_' at the end of a user's name is removed.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace planc::emit {

/// "h1.w" -> h1_w, "block[3].grow" -> block_3_grow, "hidden'" -> hidden_in, "for" -> for_, "EOF" -> EOF_: an identifier
/// that is not reserved, has no double underscore and does not begin with one. Names that differ in letters, digits or
/// where they are separated have different identifiers.
[[nodiscard]] std::string identifier(std::string_view name);

/// Names that differ from each other: the second "x" is x_2.
class UniqueNames {
  public:
    UniqueNames() = default;
    explicit UniqueNames(std::set<std::string> taken) : taken_(std::move(taken)) {}
    std::string add(std::string_view name);

  private:
    std::set<std::string> taken_;
};

} // namespace planc::emit
