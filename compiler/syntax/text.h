// The bytes of a file as the lexer wants them, and token positions as bytes.
#pragma once

#include "support/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace antlr4 {
class Token;
}

namespace planc::syntax {

/// ANTLR counts code points, source ranges are bytes.
class Places {
  public:
    /// text: valid UTF-8, from byte `offset` of the file on
    Places(support::FileId file, std::string_view text, std::int32_t offset);

    [[nodiscard]] support::SourceRange range(const antlr4::Token &token) const;
    [[nodiscard]] support::SourceRange from_to(const antlr4::Token &first, const antlr4::Token &last) const;
    [[nodiscard]] std::string_view text() const { return text_; }
    /// Of a range in this file.
    [[nodiscard]] std::string_view text(support::SourceRange range) const;

    /// All that follows a byte of the file.
    [[nodiscard]] std::string_view text_from(std::int32_t begin) const {
        return text_.substr(static_cast<std::size_t>(begin - offset_));
    }

  private:
    [[nodiscard]] std::int32_t byte(std::size_t code_point) const;

    support::FileId file_;
    std::string_view text_;
    std::int32_t offset_;
    std::vector<std::int32_t> bytes_; ///< of each code point; empty: all are ASCII
};

/// The file's text without a byte order mark; null and an error if it is too large, not UTF-8, or has a NUL.
[[nodiscard]] std::optional<Places> check_text(support::FileId id, const support::SourceFiles &files,
                                               support::Diagnostics &diagnostics);

} // namespace planc::syntax
