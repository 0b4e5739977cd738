// What one step of a reshard hands to the network, by rank: planrt::traffic without a scan of all peers.
//
// Example: reducing a [4096, 16] partial sum over 8 ranks is one call of 65,536 elements on every rank.
#pragma once

#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <memory>
#include <vector>

namespace planc::cost {

using planrt::Traffic;

/// Of every rank; equals planrt::traffic(step.kind, step.from, step.to, mesh, rank).
[[nodiscard]] std::vector<Traffic> traffic_by_rank(const sharding::Step &step, const sharding::Mesh &mesh);

/// Of the rank with the most elements (of equals, the most calls).
[[nodiscard]] Traffic busiest_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

/// The same of many steps on one mesh: what these share by dimensions is found once.
class SendTables {
  public:
    /// The mesh must outlive this.
    explicit SendTables(const sharding::Mesh &mesh);
    ~SendTables();
    SendTables(const SendTables &) = delete;
    SendTables &operator=(const SendTables &) = delete;
    [[nodiscard]] Traffic busiest(const sharding::Step &step);
    [[nodiscard]] std::vector<Traffic> by_rank(const sharding::Step &step);

    struct Known;

  private:
    const sharding::Mesh &mesh_;
    std::unique_ptr<Known> known_;
};

/// Certainly the same on every rank.
[[nodiscard]] bool uniform_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

} // namespace planc::cost
