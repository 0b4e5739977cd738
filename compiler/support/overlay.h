// Texts in memory that take the place of files on the disk, such as unsaved texts of an editor.
#pragma once

#include <map>
#include <string>

namespace planc::support {

/// The path without `.`, `..` and symbolic links, as far as it exists, so that two paths of one file become equal.
[[nodiscard]] std::string identity_of(const std::string &path);

/// Example: Overlay overlay; overlay.set("digits.plan", text); overlay.find("./digits.plan") is that text.
class Overlay {
  public:
    void set(const std::string &path, std::string text) { texts_[identity_of(path)] = std::move(text); }
    void remove(const std::string &path) { texts_.erase(identity_of(path)); }
    /// The text that takes the place of the file; null if there is none. Valid until the file is set or removed.
    [[nodiscard]] const std::string *find(const std::string &path) const {
        const auto text = texts_.empty() ? texts_.end() : texts_.find(identity_of(path));
        return text == texts_.end() ? nullptr : &text->second;
    }

  private:
    std::map<std::string, std::string> texts_; ///< by identity
};

} // namespace planc::support
