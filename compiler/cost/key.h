// Numbers and names in a row, as the key of what they determine. It is read by nobody, and made for every operation and
// value of a step: so it is not written in digits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace planc::cost {

/// Keys that are filled alike are equal only if all that was put into them is.
class Key {
  public:
    template <class Number> void put(Number number) { append(static_cast<std::int64_t>(number)); }
    void put(double number) { append(std::bit_cast<std::int64_t>(number)); }
    void put(const std::string &word) {
        put(word.size());
        text_ += word;
    }
    template <class List> void put_all(const List &list) {
        put(list.size());
        for (const auto &each : list)
            put(each);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    /// Most numbers are small, and take one character.
    void append(std::int64_t number) {
        constexpr std::int64_t least = -1;
        constexpr std::int64_t small = 255;
        if (number >= least && number < least + small) {
            text_ += static_cast<char>(static_cast<unsigned char>(number - least));
            return;
        }
        text_ += static_cast<char>(static_cast<unsigned char>(small));
        const auto bytes = std::bit_cast<std::array<char, sizeof(number)>>(number);
        text_.append(bytes.data(), bytes.size());
    }

    std::string text_;
};

} // namespace planc::cost
