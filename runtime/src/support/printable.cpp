#include "support/printable.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace planrt {

namespace {

/// The character at the beginning of `words`; its length is 0 if they do not begin with a UTF-8 character.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

Character first_character(std::string_view words) {
    const auto lead = static_cast<unsigned char>(words[0]);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t length = (lead >> 5) == 6 ? 2 : (lead >> 4) == 14 ? 3 : (lead >> 3) == 30 ? 4 : 0;
    if (length == 0 || length > words.size())
        return {};
    std::uint32_t code = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(words[i]);
        if ((next >> 6) != 2)
            return {};
        code = (code << 6) | (next & 0x3FU);
    }
    return {code, length};
}

bool is_control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) ||                             // of ASCII and of Latin-1
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) || // lines, directions
           (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::uint32_t code, bool is_byte) {
    if (code == '\n')
        return "\\n";
    if (code == '\r')
        return "\\r";
    if (code == '\t')
        return "\\t";
    std::array<char, 16> result{};
    std::snprintf(result.data(), result.size(), is_byte || code < 0x80 ? "\\x%02x" : "\\u%04x",
                  static_cast<unsigned>(code));
    return result.data();
}

} // namespace

std::string printable(std::string_view words) {
    std::string result;
    while (!words.empty()) {
        const Character character = first_character(words);
        const std::size_t length = character.length == 0 ? 1 : character.length;
        if (character.length == 0)
            result += escaped(static_cast<unsigned char>(words[0]), /*is_byte=*/true);
        else if (is_control(character.code))
            result += escaped(character.code, /*is_byte=*/false);
        else
            result += words.substr(0, length);
        words.remove_prefix(length);
    }
    return result;
}

} // namespace planrt
