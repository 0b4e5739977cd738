// The characters of a text and their numbers.
//
// Example: of "hello" the vocabulary is e h l o; 'l' is 2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planrt {

/// The characters of UTF-8 text as code points. Errors: Failure with `path`.
[[nodiscard]] std::vector<std::int32_t> decode_utf8(const std::string &path, const std::string &content);

class Vocabulary {
  public:
    /// The vocabulary of all characters that occur in `characters`, in the order of their code points.
    explicit Vocabulary(const std::vector<std::int32_t> &characters);
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(characters_.size()); }
    /// -1 if the character does not occur.
    [[nodiscard]] std::int32_t index(std::int32_t character) const;

  private:
    std::vector<std::int32_t> characters_; ///< ascending
};

} // namespace planrt
