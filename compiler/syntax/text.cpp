#include "syntax/text.h"

#include "support/utf8.h"

#include <Token.h>

namespace planc::syntax {

using support::SourceRange;

namespace {

constexpr std::size_t largest_file = std::size_t{1} << 20;

PLANC_DIAGNOSTIC(file_too_large, error, "the file is larger than 1 MiB, the limit of a .plan file"); // L1
PLANC_DIAGNOSTIC(invalid_utf8, error, "the file is not UTF-8 text: unexpected byte 0x{0}");          // L1
PLANC_DIAGNOSTIC(nul_byte, error, "the file is not text: it has a NUL byte here");                   // L1

std::string hexadecimal(char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(byte);
    return {digits[value >> 4], digits[value & 15]};
}

} // namespace

Places::Places(support::FileId file, std::string_view text, std::int32_t offset)
    : file_(file), text_(text), offset_(offset) {
    for (std::size_t i = 0; i < text.size(); i += support::decode_utf8(text, i).length)
        bytes_.push_back(static_cast<std::int32_t>(i));
    if (bytes_.size() == text.size())
        bytes_.clear();
}

std::int32_t Places::byte(std::size_t code_point) const {
    if (bytes_.empty())
        return offset_ + static_cast<std::int32_t>(std::min(code_point, text_.size()));
    return offset_ + (code_point < bytes_.size() ? bytes_[code_point] : static_cast<std::int32_t>(text_.size()));
}

SourceRange Places::from_to(const antlr4::Token &first, const antlr4::Token &last) const {
    return {file_, byte(first.getStartIndex()), byte(last.getStopIndex() + 1)};
}

SourceRange Places::range(const antlr4::Token &token) const {
    return from_to(token, token);
}

std::string_view Places::text(SourceRange range) const {
    return text_.substr(static_cast<std::size_t>(range.begin - offset_),
                        static_cast<std::size_t>(range.end - range.begin));
}

std::optional<Places> check_text(support::FileId id, const support::SourceFiles &files,
                                 support::Diagnostics &diagnostics) {
    std::string_view text = files.file(id).text;
    if (text.size() > largest_file) {
        diagnostics.report(file_too_large, {id, 0, 0});
        return std::nullopt;
    }
    std::int32_t offset = 0;
    if (text.starts_with("\xef\xbb\xbf")) {
        text.remove_prefix(3);
        offset = 3;
    }
    for (std::size_t i = 0; i < text.size();) {
        const support::Utf8 character = support::decode_utf8(text, i);
        const auto at = offset + static_cast<std::int32_t>(i);
        const SourceRange here{id, at, at + 1};
        if (!character.valid) {
            diagnostics.report(invalid_utf8, here, {hexadecimal(text[i])});
            return std::nullopt;
        }
        if (character.code == 0) {
            diagnostics.report(nul_byte, here);
            return std::nullopt;
        }
        i += character.length;
    }
    return Places(id, text, offset);
}

} // namespace planc::syntax
