// What bounds of transfers know of placements, and what two placements have in common: found once for every two ways in
// which a dimension is cut, which are few.
#pragma once

#include "sharding/reshards.h"

#include <cstdint>
#include <vector>

namespace planc::plan {

/// What of a placement matters here. Lengths in elements.
struct PlacedVolume {
    std::vector<double> largest;    ///< per dimension: the longest part of any rank
    std::vector<int> kinds;         ///< per dimension: a number of the way in which it is cut
    std::vector<std::uint32_t> cut; ///< per dimension: set of the axes that cut it
    double average = 1;             ///< volume of a rank's part or share, over all ranks
    double share = 1;               ///< volume of the largest
    double elements = 1;            ///< of the tensor
    std::uint32_t cut_by = 0;       ///< axes that cut any dimension
    std::uint32_t partial = 0;      ///< set of axes
    std::uint32_t windows = 0;      ///< set of dimensions
    std::uint32_t stored = 0;       ///< set of the axes by which local parts are cut into shares
};

/// From one placement to another.
struct PlacedPair {
    double kept = 1;            ///< elements in the product of the shorter parts: no rank has more of what it wants
    double part = 1;            ///< the least that one dimension makes of it on average
    std::uint32_t gathered = 0; ///< axes that cut a dimension which is wanted whole
    std::uint32_t left = 0;     ///< axes that cut a dimension which they cut no longer
};

/// Of placements of one shape.
class PlacedVolumes {
  public:
    /// Both must outlive this.
    PlacedVolumes(const sharding::Mesh &mesh, const sharding::Reshards &reshards) : mesh_(mesh), reshards_(reshards) {}

    /// By number. Valid until one with a larger number is asked for.
    const PlacedVolume &of(int number);
    PlacedPair pair(const PlacedVolume &from, const PlacedVolume &to);

  private:
    struct Way {
        planrt::DimensionPlacement placed;
        std::uint32_t cut = 0; ///< set of axes
        double largest = 0;
        double average = 0;
    };
    struct PairOfWays {
        bool known = false;
        double shorter = 0;
        double part = 1;
    };
    struct Dimension {
        std::vector<Way> ways;
        std::vector<std::vector<PairOfWays>> pairs; ///< [from][to]
    };

    [[nodiscard]] PlacedVolume measured(const sharding::Placement &placement);
    int way(std::size_t dimension, const planrt::DimensionPlacement &placed);
    [[nodiscard]] PairOfWays paired(const Way &from, const Way &to) const;
    [[nodiscard]] double in_common(const Way &from, const Way &to) const;

    const sharding::Mesh &mesh_;
    const sharding::Reshards &reshards_;
    std::vector<PlacedVolume> volumes_; ///< by number
    std::vector<Dimension> dimensions_;
};

} // namespace planc::plan
