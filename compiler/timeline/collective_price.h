// The time that a started collective of the schedule takes on each rank, by the cost model's own functions.
#pragma once

#include "cost/collectives/step_price.h"
#include "schedule/collective_info.h"

#include <map>
#include <vector>

namespace planc::timeline {

/// A cache for the collectives of one schedule, since layers repeat. References stay valid.
struct KnownCollectives {
    std::map<std::vector<int>, cost::Group> groups;       ///< by axes
    std::map<std::string, std::vector<cost::Flow>> flows; ///< by step: of each rank, or of all
};

class CollectivePrice {
  public:
    /// `wait`: the wait of the same number. `mesh`: that of the role's ranks; `whole`: that of all ranks, whose order
    /// determines their places in the machine. `known` is of one role and must outlive this.
    CollectivePrice(ir::StartOp start, ir::WaitOp wait, ir::MeshAttr mesh, const planrt::Mesh &whole,
                    const planrt::Role &role, const cost::Machine &machine, KnownCollectives &known);

    struct Rank {
        cost::Seconds seconds{};
        cost::Seconds work{};    ///< the part of them that is work of its processor, if measured
        cost::Seconds latency{}; ///< the latency in them; 0 if MPI's own call was measured: its latency is work of the
                                 ///< ranks
        int rounds = 1;          ///< messages one after another; the messages of an exchange are sent at once
    };
    /// The price on each of these ranks. Members of one call share its latency.
    [[nodiscard]] std::vector<Rank> on(const std::vector<int> &ranks) const;

    [[nodiscard]] const std::vector<int> &axes() const { return info_.axes; }
    [[nodiscard]] const cost::Group &group() const { return group_; }
    /// The amounts that the collective moves, by rank: one column for each number that differs. They serve to
    /// distinguish ranks.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> numbers() const;

  private:
    [[nodiscard]] Rank price(const std::vector<cost::Flow> &flows) const; ///< by member

    schedule::CollectiveInfo info_;
    planrt::Mesh mesh_;
    const cost::Machine &machine_;
    const cost::Group &group_;
    bool in_bucket_ = false;
    std::vector<sharding::Step> steps_;                  ///< per member
    std::vector<const std::vector<cost::Flow> *> flows_; ///< per member: of each rank, or of all
};

} // namespace planc::timeline
