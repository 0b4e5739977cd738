// One dimension of an exchange: which peers want something of what a rank has along it. An exchange sends boxes, so
// what a rank sends is a product over the dimensions (traffic.h).
#pragma once

#include "cost/collectives/traffic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planc::cost {

/// Tabulated over the coordinates of the axes that split it before or after.
struct DimensionSends {
    struct Entry {
        Traffic wanted;          ///< peers whose block meets this rank's, and the length of what they get together
        std::int64_t kept = 0;   ///< length of what the rank itself keeps
        std::int64_t needed = 0; ///< length of what the rank has afterwards, with what it keeps
    };
    std::vector<std::size_t> stride; ///< per axis, 0: of no matter here
    std::vector<Entry> entries;

    [[nodiscard]] Entry &at(const std::vector<int> &coordinates) {
        std::size_t index = 0;
        for (std::size_t axis = 0; axis < stride.size(); ++axis)
            index += stride[axis] * static_cast<std::size_t>(coordinates[axis]);
        return entries[index];
    }
};

/// `cuts_from[axis]`: the axis splits some dimension of the exchange's `from`. Adds to `blocks` how many blocks of
/// listed rows were looked at, by time.
[[nodiscard]] DimensionSends tabulate_sends(const planrt::DimensionPlacement &from,
                                            const planrt::DimensionPlacement &to, const sharding::Mesh &mesh,
                                            const std::vector<bool> &cuts_from, double &blocks);

} // namespace planc::cost
