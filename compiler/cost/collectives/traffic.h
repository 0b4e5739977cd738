// What each rank sends and receives in one step of a reshard: planrt::traffic without a scan over all peers.
//
// Example: reducing a [4096, 16] partial sum over 8 ranks is one call of 65,536 elements on every rank.
#pragma once

#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace planc::cost {

using planrt::Traffic;

/// What a rank sends, and how much of it arrives there.
struct Flow {
    Traffic sent; ///< equal to planrt::traffic(step.kind, step.from, step.to, mesh, rank)
    /// Elements. Of a reduce-scatter and an all-gather, as if all blocks were as large as the largest: each of their
    /// rounds lasts as long as its largest message.
    std::int64_t received = 0;
    /// By level of the machine, elements that pass the link of the rank's unit while its own do (unit_flows.h). Empty:
    /// as many as if all ranks of the unit sent as much.
    std::vector<std::int64_t> through = {};
    friend bool operator==(const Flow &, const Flow &) = default;
};

/// For every rank.
[[nodiscard]] std::vector<Flow> flow_by_rank(const sharding::Step &step, const sharding::Mesh &mesh);

struct BusiestFlows {
    Flow sender;   ///< of the rank that sends most elements (among equals, the most calls)
    Flow receiver; ///< of the rank that receives most (among equals, the most calls)
};
[[nodiscard]] BusiestFlows busiest_flows(const sharding::Step &step, const sharding::Mesh &mesh);

/// The same for many steps on one mesh; tables by dimension that several steps share are computed once.
class SendTables {
  public:
    /// The mesh must outlive this.
    explicit SendTables(const sharding::Mesh &mesh);
    ~SendTables();
    SendTables(const SendTables &) = delete;
    SendTables &operator=(const SendTables &) = delete;
    [[nodiscard]] BusiestFlows busiest(const sharding::Step &step);
    /// Tabulated once.
    [[nodiscard]] const std::vector<Flow> &by_rank(const sharding::Step &step);
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
