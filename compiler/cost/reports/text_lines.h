// Aligned columns of text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace planc::cost {

/// Lines of aligned cells; a line with a single cell is not aligned.
class Lines {
  public:
    void free(std::string text) { lines_.push_back({std::move(text)}); }
    void row(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

    /// Aligns cells from column `right` on to the right, and from `left` on to the left again.
    [[nodiscard]] std::string text(std::size_t right, std::size_t left = SIZE_MAX) const {
        std::vector<std::size_t> widths;
        for (const std::vector<std::string> &line : lines_)
            for (std::size_t c = 0; line.size() > 1 && c < line.size(); ++c) {
                widths.resize(std::max(widths.size(), c + 1));
                widths[c] = std::max(widths[c], line[c].size());
            }
        std::string text;
        for (const std::vector<std::string> &line : lines_) {
            std::string out = line.size() == 1 ? line[0] : "";
            for (std::size_t c = 0; line.size() > 1 && c < line.size(); ++c) {
                const std::string padding(widths[c] - line[c].size(), ' ');
                out += c >= right && c < left ? padding + line[c] : line[c] + padding;
                out += "  ";
            }
            out.erase(out.find_last_not_of(' ') + 1);
            text += out + "\n";
        }
        return text;
    }

  private:
    std::vector<std::vector<std::string>> lines_;
};

} // namespace planc::cost
