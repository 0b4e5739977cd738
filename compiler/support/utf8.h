// UTF-8, one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace planc::support {

struct Utf8 {
    char32_t code = 0;
    std::size_t length = 1; ///< bytes; 1 for a byte that is not part of a valid character
    bool valid = false;
};

/// The character that starts at byte `at` < text.size(). Overlong forms, surrogates and codes above 10FFFF are not
/// valid.
[[nodiscard]] constexpr Utf8 decode_utf8(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80)
        return {lead, 1, true};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || at + length > text.size())
        return {};
    auto code = static_cast<char32_t>(lead & (0x7f >> length));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80)
            return {};
        code = (code << 6) | (byte(at + i) & 0x3f);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return {};
    return {code, length, true};
}

} // namespace planc::support
