// Numbers for placements, and the routes between them. Each route is found once, because a search asks for the same few
// again and again.
#pragma once

#include "sharding/lay_out.h"
#include "sharding/wire_volumes.h"
#include "support/sparse_row.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace planc::sharding {

/// For tensors of one shape: one table of routes for all shapes would be almost empty.
class Reshards {
  public:
    /// The volumes must outlive this.
    explicit Reshards(WireVolumes &volumes) : volumes_(volumes) {}

    /// Equal placements have equal numbers. Numbers ascend from 0 in the order of the first requests.
    int number(const Placement &placement);
    [[nodiscard]] const Placement &placement(int number) const { return placements_[number]; }
    /// The number of placements that have numbers.
    [[nodiscard]] int placements() const { return static_cast<int>(placements_.size()); }

    struct Route {
        int number = 0;       ///< ascending from 0 as they are found
        bool possible = true; ///< false: `to` is partial along an axis along which `from` is not, or `from` has windows
                              ///< that are no addends
        std::vector<Step> steps;
        double volume = 0; ///< WireVolumes::of()
    };
    /// reshard() between two numbered placements. The reference stays valid.
    const Route &route(int from, int to);
    /// The number of routes found so far.
    [[nodiscard]] int routes() const { return static_cast<int>(found_.size()); }

  private:
    static constexpr int unknown = -1;
    WireVolumes &volumes_;
    std::vector<Placement> placements_;
    std::unordered_multimap<std::size_t, int> numbers_; ///< by hash
    std::vector<support::SparseRow<int, -1>> routes_;   ///< [from], at(to): number; -1: unknown, as nearly all are
    std::vector<std::unique_ptr<const Route>> found_;   ///< by number
};

/// The routes on one mesh, by the shape of the tensors.
class MeshReshards {
  public:
    /// The mesh must outlive this.
    explicit MeshReshards(const Mesh &mesh) : volumes_(mesh) {}
    MeshReshards(const MeshReshards &) = delete;
    MeshReshards &operator=(const MeshReshards &) = delete;
    Reshards &of(const std::vector<std::int64_t> &extents) {
        return shapes_.try_emplace(extents, volumes_).first->second;
    }
    /// The number of routes found so far.
    [[nodiscard]] int routes() const;
    /// WireVolumes::blocks_of_needed()
    [[nodiscard]] double blocks_of_needed() const { return volumes_.blocks_of_needed(); }

  private:
    WireVolumes volumes_;
    std::map<std::vector<std::int64_t>, Reshards> shapes_;
};

} // namespace planc::sharding
