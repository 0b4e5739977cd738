// Files as an editor has them: texts in memory that stand for files on the disk, saved or not.
#pragma once

#include <map>
#include <string>

namespace planc::support {

/// The path without `.`, `..` and symbolic links, as far as it exists: two paths of one file are the same.
[[nodiscard]] std::string identity_of(const std::string &path);

/// Example: Overlay overlay; overlay.set("digits.plan", text); overlay.find("./digits.plan") is that text.
class Overlay {
  public:
    void set(const std::string &path, std::string text) { texts_[identity_of(path)] = std::move(text); }
    void remove(const std::string &path) { texts_.erase(identity_of(path)); }
    /// Null: what is on the disk holds. Valid until the file is set or removed.
    [[nodiscard]] const std::string *find(const std::string &path) const {
        const auto text = texts_.empty() ? texts_.end() : texts_.find(identity_of(path));
        return text == texts_.end() ? nullptr : &text->second;
    }

  private:
    std::map<std::string, std::string> texts_; ///< by identity
};

} // namespace planc::support
