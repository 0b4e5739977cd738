#include "data/formats/lines.h"

#include "support/plain_failure.h"

#include <algorithm>

namespace planrt {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t longest_line = std::size_t{1} << 30; // bytes

} // namespace

bool Lines::next(std::string_view &line) {
    if (!cut(line))
        return false;
    ++number_;
    if (number_ == 1 && line.starts_with(byte_order_mark))
        line.remove_prefix(byte_order_mark.size());
    return true;
}

bool Lines::cut(std::string_view &line) {
    for (std::size_t searched = begin_;;) {
        const std::size_t newline = buffer_.find('\n', searched);
        if (newline < end_) {
            line = trim_end(begin_, newline);
            begin_ = newline + 1;
            return true;
        }
        searched = end_;
        if (!refill(searched)) {
            line = trim_end(begin_, end_);
            const bool rest = end_ > begin_;
            begin_ = end_;
            return rest;
        }
    }
}

std::string_view Lines::trim_end(std::size_t begin, std::size_t end) const {
    if (end > begin && buffer_[end - 1] == '\r')
        --end;
    return std::string_view(buffer_).substr(begin, end - begin);
}

bool Lines::refill(std::size_t &searched) {
    if (end_ - begin_ > longest_line)
        throw Failure(file_.path() + ": has a line of more than 1 GiB");
    buffer_.erase(0, begin_);
    searched -= begin_;
    end_ -= begin_;
    begin_ = 0;
    buffer_.resize(std::max<std::size_t>(2 * end_, 1 << 16));
    const std::size_t got = file_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got;
    return got > 0;
}

std::string_view trim(std::string_view word) {
    const auto blank = [](char letter) { return letter == ' ' || letter == '\t' || letter == '"'; };
    while (!word.empty() && blank(word.front()))
        word.remove_prefix(1);
    while (!word.empty() && blank(word.back()))
        word.remove_suffix(1);
    return word;
}

} // namespace planrt
