// The text of a file as the lexer needs it, and the conversion of token positions to bytes.
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

/// Converts between ANTLR's positions, which count code points, and source ranges, which count bytes.
class Places {
  public:
    /// `text`: valid UTF-8, which starts at byte `offset` of the file.
    Places(support::FileId file, std::string_view text, std::int32_t offset);

    [[nodiscard]] support::SourceRange range(const antlr4::Token &token) const;
    [[nodiscard]] support::SourceRange from_to(const antlr4::Token &first, const antlr4::Token &last) const;
    [[nodiscard]] std::string_view text() const { return text_; }
    /// The text of a range in this file.
    [[nodiscard]] std::string_view text(support::SourceRange range) const;

    /// The text from a byte of the file to its end.
    [[nodiscard]] std::string_view text_from(std::int32_t begin) const {
        return text_.substr(static_cast<std::size_t>(begin - offset_));
    }

  private:
    [[nodiscard]] std::int32_t byte(std::size_t code_point) const;

    support::FileId file_;
    std::string_view text_;
    std::int32_t offset_;
    std::vector<std::int32_t> bytes_; ///< start of each code point; empty if all are ASCII
};

/// Returns the file's text without a byte order mark. Returns null and reports an error if the text is too large, is
/// not UTF-8, or contains a NUL.
[[nodiscard]] std::optional<Places> check_text(support::FileId id, const support::SourceFiles &files,
                                               support::Diagnostics &diagnostics);

} // namespace planc::syntax
