// How much steps of a reshard move: what sequences of steps are ranked by.
#pragma once

#include "sharding/lay_out.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planc::sharding {

/// Volumes of steps on one mesh: elements times ranks of the mesh, so that shares (P-1)/P of different groups compare
/// exactly. The elements are those that the rank with the largest blocks sends or, of halos and needed rows, that the
/// rank which lacks most receives, of touched rows that the rank sends which has most of others. Only for ranking
/// sequences of steps; the cost model computes seconds. Remembers what it has tabulated; not for several threads.
class WireVolumes {
  public:
    /// The mesh must outlive this.
    explicit WireVolumes(const Mesh &mesh) : mesh_(mesh) {}
    double of(const Step &step);
    double of(const std::vector<Step> &steps);
    /// How many blocks of needed rows (planrt::needed_rows()) were looked at so far.
    [[nodiscard]] double blocks_of_needed() const { return blocks_of_needed_; }

    /// Along one dimension: the length of the part that a rank needs, and how much of it the rank already has. If ranks
    /// have addends: of the part that a rank has, and how much of it the rank itself needs.
    using WantedAndKept = std::pair<std::int64_t, std::int64_t>;

    /// One dimension of a halo exchange, tabulated over the coordinates of the axes that cut it before or after.
    struct Lengths {
        planrt::DimensionPlacement from;
        planrt::DimensionPlacement to;
        std::vector<std::size_t> strides; ///< per axis of the mesh; 0: it cuts nothing here
        std::vector<WantedAndKept> pairs;
        std::vector<WantedAndKept> different; ///< ascending
        [[nodiscard]] const WantedAndKept &at(const std::vector<int> &coordinates) const;
    };

  private:
    const Lengths &lengths(const planrt::DimensionPlacement &from, const planrt::DimensionPlacement &to);
    /// The elements that the rank which lacks most receives; of addends, the most that a rank sends.
    std::int64_t largest_halo(const Step &step);

    const Mesh &mesh_;
    std::unordered_multimap<std::size_t, Lengths> known_; ///< by hash
    double blocks_of_needed_ = 0;
};

[[nodiscard]] double wire_volume(const Step &step, const Mesh &mesh);
[[nodiscard]] double wire_volume(const std::vector<Step> &steps, const Mesh &mesh);

} // namespace planc::sharding
