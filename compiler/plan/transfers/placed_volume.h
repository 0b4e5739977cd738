// The properties of placements on which bounds of transfers depend, and the overlap of two placements. They are
// computed once for each pair of ways to split a dimension, of which there are few.
#pragma once

#include "sharding/reshards.h"

#include <cstdint>
#include <vector>

namespace planc::plan {

/// The properties of a placement that matter here. Lengths are in elements.
struct PlacedVolume {
    std::vector<double> largest;    ///< per dimension: the longest part of any rank
    std::vector<int> kinds;         ///< per dimension: a number for the way in which it is split
    std::vector<std::uint32_t> cut; ///< per dimension: set of the axes that split it
    double average = 1;             ///< volume of a rank's part or shard, averaged over all ranks
    double share = 1;               ///< volume of the largest
    double elements = 1;            ///< of the tensor
    std::uint32_t cut_by = 0;       ///< axes that split any dimension
    std::uint32_t partial = 0;      ///< set of axes
    std::uint32_t windows = 0;      ///< set of dimensions
    bool addends = false;           ///< the windows hold addends (planrt::Window::addends)
    std::uint32_t stored = 0;       ///< set of the axes by which local parts are cut into shards
};

/// The transfer from one placement to another.
struct PlacedPair {
    double kept = 1;            ///< elements in the product of the shorter parts: no rank already holds more of what it
                                ///< needs
    double part = 1;            ///< the smallest average overlap of one dimension
    std::uint32_t gathered = 0; ///< axes that split a dimension which is needed whole
    std::uint32_t left = 0;     ///< axes that split a dimension in `from` but not in `to`
};

/// For placements of one shape.
class PlacedVolumes {
  public:
    /// Both must outlive this.
    PlacedVolumes(const sharding::Mesh &mesh, const sharding::Reshards &reshards) : mesh_(mesh), reshards_(reshards) {}

    /// By number. Valid until one with a larger number is requested.
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
