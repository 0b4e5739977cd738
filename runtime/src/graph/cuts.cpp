#include <planrt/layout.h>
#include <planrt/vertex_order.h>

#include <algorithm>

namespace planrt {

Cuts equal_cuts(std::int64_t extent, int parts) {
    Cuts cuts{0};
    for (int part = 0; part < parts; ++part)
        cuts.push_back(block({0, extent}, parts, part).end);
    return cuts;
}

namespace {

/// The cost of the rows before each row, which is not decreasing.
class Costs {
  public:
    Costs(std::span<const std::int64_t> row_begin, std::int64_t row_cost)
        : row_begin_(row_begin), row_cost_(row_cost) {}

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(row_begin_.size()) - 1; }
    [[nodiscard]] std::int64_t before(std::int64_t row) const {
        return row_begin_[row] - row_begin_[0] + row * row_cost_;
    }
    /// The last row before which the cost is at most `cost`; at least 0.
    [[nodiscard]] std::int64_t last_within(std::int64_t cost) const {
        std::int64_t low = 0;
        for (std::int64_t high = rows(); low < high;) {
            const std::int64_t middle = low + (high - low + 1) / 2;
            if (before(middle) <= cost)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }
    /// The first row before which the cost is at least `cost`; at most rows().
    [[nodiscard]] std::int64_t first_from(std::int64_t cost) const {
        std::int64_t low = 0;
        for (std::int64_t high = rows(); low < high;) {
            const std::int64_t middle = low + (high - low) / 2;
            if (before(middle) < cost)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// The row before which the cost is nearest to `cost`.
    [[nodiscard]] std::int64_t nearest(std::int64_t cost) const {
        const std::int64_t row = first_from(cost);
        return row > 0 && cost - before(row - 1) < before(row) - cost ? row - 1 : row;
    }

  private:
    std::span<const std::int64_t> row_begin_;
    std::int64_t row_cost_;
};

bool fits(const Costs &costs, int parts, std::int64_t limit) {
    std::int64_t row = 0;
    for (int part = 0; part < parts && row < costs.rows(); ++part)
        row = costs.last_within(costs.before(row) + limit);
    return row == costs.rows();
}

/// The smallest limit of a part's cost: by bisection, since what fits under a limit fits under a larger one.
std::int64_t smallest_limit(const Costs &costs, int parts) {
    std::int64_t low = 0;
    std::int64_t high = costs.before(costs.rows());
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (fits(costs, parts, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

} // namespace

Cuts balanced_cuts(std::span<const std::int64_t> row_begin, int parts, std::int64_t row_cost) {
    const Costs costs(row_begin, row_cost);
    const std::int64_t limit = smallest_limit(costs, parts);
    Cuts earliest(parts + 1, costs.rows()); // of each cut, so that the parts behind it fit
    for (int part = parts; part-- > 0;)
        earliest[part] = costs.first_from(costs.before(earliest[part + 1]) - limit);
    Cuts cuts{0};
    for (int part = 1; part < parts; ++part) {
        const std::int64_t done = costs.before(cuts.back());
        const std::int64_t share = (costs.before(costs.rows()) - done) / (parts - part + 1);
        const std::int64_t latest = costs.last_within(done + limit);
        const std::int64_t one_row = std::min(cuts.back() + 1, costs.rows()); // no empty part without need
        cuts.push_back(std::clamp(costs.nearest(done + share), std::max(earliest[part], one_row), latest));
    }
    cuts.push_back(costs.rows());
    return cuts;
}

} // namespace planrt
