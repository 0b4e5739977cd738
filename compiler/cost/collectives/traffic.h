// What each rank sends in one step of a reshard: planrt::traffic without a scan over all peers.
//
// Example: reducing a [4096, 16] partial sum over 8 ranks is one call of 65,536 elements on every rank.
#pragma once

#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <memory>
#include <string>
#include <vector>

namespace planc::cost {

using planrt::Traffic;

/// For every rank; equal to planrt::traffic(step.kind, step.from, step.to, mesh, rank).
[[nodiscard]] std::vector<Traffic> traffic_by_rank(const sharding::Step &step, const sharding::Mesh &mesh);

/// For the rank with the most elements (among equals, the most calls).
[[nodiscard]] Traffic busiest_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

/// The same for many steps on one mesh; tables by dimension that several steps share are computed once.
class SendTables {
  public:
    /// The mesh must outlive this.
    explicit SendTables(const sharding::Mesh &mesh);
    ~SendTables();
    SendTables(const SendTables &) = delete;
    SendTables &operator=(const SendTables &) = delete;
    [[nodiscard]] Traffic busiest(const sharding::Step &step);
    /// Tabulated once.
    [[nodiscard]] const std::vector<Traffic> &by_rank(const sharding::Step &step);
    /// How many blocks of needed rows (planrt::needed_rows()) were looked at so far.
    [[nodiscard]] double blocks_of_needed() const;

    struct Known;

  private:
    const sharding::Mesh &mesh_;
    std::unique_ptr<Known> known_;
};

/// Whether the traffic is certainly the same on every rank.
[[nodiscard]] bool uniform_traffic(const sharding::Step &step, const sharding::Mesh &mesh);

/// Two steps on one mesh have equal keys only if they differ at most in how partial results are combined.
[[nodiscard]] std::string key(const sharding::Step &step);

} // namespace planc::cost
