#include "data/neighbours.h"

#include "data/matrix_files.h"
#include "random/philox.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace planrt {

Neighbours::Neighbours(std::span<const Hop> hops, const DataSource &source, std::uint64_t seed)
    : hops_(hops), seed_(seed) {
    for (std::size_t hop = 0; hop < hops.size(); ++hop) {
        const auto same =
            std::ranges::find(hops.subspan(0, hop), hops[hop].matrix, &Hop::matrix) - hops.subspan(0, hop).begin();
        if (static_cast<std::size_t>(same) < hop) {
            matrix_of_hop_.push_back(matrix_of_hop_[static_cast<std::size_t>(same)]);
            continue;
        }
        matrix_of_hop_.push_back(matrices_.size());
        matrices_.push_back(read_matrix(source, *hops[hop].matrix));
    }
}

/// Floyd's algorithm (Bentley and Floyd 1987, "A sample of brilliance").
std::vector<std::int64_t> Neighbours::sample(std::size_t hop, std::int64_t vertex) const {
    const Pattern &matrix = matrices_[matrix_of_hop_[hop]];
    const std::int64_t begin = matrix.row_begin[vertex];
    const std::int64_t degree = matrix.degree(vertex);
    const std::int64_t wanted = std::min<std::int64_t>(degree, hops_[hop].fanout);
    std::vector<std::int64_t> chosen;
    if (wanted == degree) {
        chosen.resize(static_cast<std::size_t>(degree));
        std::iota(chosen.begin(), chosen.end(), begin);
        return chosen;
    }
    std::unordered_set<std::int64_t> known;
    RandomStream stream = random_stream(seed_, "neighbours");
    stream.name += static_cast<std::uint64_t>(epoch_) * 0x9E3779B97F4A7C15U + hop;
    for (std::int64_t last = degree - wanted; last < degree; ++last) {
        const auto number = (static_cast<std::uint64_t>(vertex) << 20) + chosen.size(); // at most 2^20 of a row
        const auto drawn =
            static_cast<std::int64_t>(random_below(stream, number, static_cast<std::uint64_t>(last) + 1));
        chosen.push_back(begin + (known.contains(drawn) ? last : drawn));
        known.insert(chosen.back() - begin);
    }
    std::ranges::sort(chosen);
    return chosen;
}

void Neighbours::walk(std::size_t hop, std::int64_t vertex, std::span<const Range> box,
                      std::vector<std::int64_t> &leaves) const {
    if (hop == box.size()) {
        leaves.push_back(vertex);
        return;
    }
    const std::vector<std::int64_t> chosen = sample(hop, vertex);
    const Pattern &matrix = matrices_[matrix_of_hop_[hop]];
    for (std::int64_t i = 0; i < box[hop].size(); ++i) {
        const std::int64_t place = box[hop].index(i) - 1;
        const bool is_neighbour = place >= 0 && place < std::ssize(chosen);
        walk(hop + 1, is_neighbour ? matrix.column[chosen[place]] : vertex, box, leaves);
    }
}

std::vector<std::int64_t> Neighbours::vertices(std::span<const std::int64_t> roots, std::span<const Range> box) const {
    std::vector<std::int64_t> leaves;
    for (const std::int64_t root : roots)
        walk(0, root, box, leaves);
    return leaves;
}

std::vector<WeighedRow> Neighbours::row(std::size_t hop, std::int64_t vertex, bool mean) const {
    const Pattern &matrix = matrices_[matrix_of_hop_[hop]];
    const std::vector<std::int64_t> chosen = sample(hop, vertex);
    const auto taken = static_cast<double>(std::max<std::size_t>(chosen.size(), 1));
    const double scale = (mean ? 1 : static_cast<double>(matrix.degree(vertex))) / taken;
    std::vector<WeighedRow> result;
    for (const std::int64_t entry : chosen)
        result.push_back({matrix.column[entry], scale * matrix.value_of(entry)});
    return result;
}

std::vector<double> Neighbours::entries(std::span<const std::int64_t> roots, std::span<const Range> box,
                                        bool mean) const {
    const std::size_t hop = box.size() - 1;
    std::vector<double> values;
    for (const std::int64_t vertex : vertices(roots, box.first(hop))) {
        const std::vector<WeighedRow> neighbours = row(hop, vertex, mean);
        for (std::int64_t i = 0; i < box[hop].size(); ++i) {
            const std::int64_t place = box[hop].index(i);
            values.push_back(place < std::ssize(neighbours) ? neighbours[place].factor : 0);
        }
    }
    return values;
}

} // namespace planrt
