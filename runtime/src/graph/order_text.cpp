#include <planrt/vertex_order.h>

#include <array>

namespace planrt {

namespace {

constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";

/// Digits for each of so many vertices.
std::size_t width(std::int64_t vertices) {
    std::size_t width = 1;
    for (std::int64_t most = std::ssize(digits); most < vertices; most *= std::ssize(digits))
        ++width;
    return width;
}

} // namespace

std::string text_of_order(std::span<const std::int32_t> order) {
    const std::size_t each = width(std::ssize(order));
    std::string text(order.size() * each, digits[0]);
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto rest = static_cast<std::size_t>(order[i]);
        for (std::size_t digit = each; digit-- > 0; rest /= digits.size())
            text[i * each + digit] = digits[rest % digits.size()];
    }
    return text;
}

std::vector<std::int32_t> order_of_text(std::string_view text, std::int64_t vertices) {
    std::array<std::int32_t, 128> value{};
    for (std::size_t i = 0; i < digits.size(); ++i)
        value[static_cast<unsigned char>(digits[i])] = static_cast<std::int32_t>(i);
    const std::size_t each = width(vertices);
    std::vector<std::int32_t> order(static_cast<std::size_t>(vertices), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const char digit : text.substr(i * each, each))
            order[i] = order[i] * static_cast<std::int32_t>(digits.size()) + value[static_cast<unsigned char>(digit)];
    return order;
}

} // namespace planrt
