#include "support/diagnostics.h"

#include <algorithm>
#include <numeric>

namespace planc::support {

namespace {

/// Levenshtein distance in which swapping two neighbours counts as one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, row);
    }
    return previous[b.size()];
}

} // namespace

std::string nearest(std::string_view name, const std::vector<std::string> &candidates) {
    constexpr std::size_t longest = 64; // longer names are not typing slips, and the distance is quadratic
    if (name.size() > longest)
        return {};
    std::string best;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        if (candidate.size() > longest)
            continue;
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least && distance < name.size()) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace planc::support
