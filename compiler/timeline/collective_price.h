// What a started collective of the schedule takes one rank, by the cost model's own functions.
#pragma once

#include "cost/collectives/step_price.h"
#include "schedule/collective_info.h"

#include <map>
#include <vector>

namespace planc::timeline {

/// What collectives of one schedule have in common, since layers repeat. References stay valid.
struct KnownCollectives {
    std::map<std::vector<int>, cost::Group> groups;              ///< by axes
    std::map<std::string, std::vector<planrt::Traffic>> traffic; ///< by step: of each rank, or of all
};

class CollectivePrice {
  public:
    /// `wait`: of the same number. `mesh`: of the ranks of its role, `whole`: of all, whose order says where in the
    /// machine they are. `known` must outlive this.
    CollectivePrice(ir::StartOp start, ir::WaitOp wait, ir::MeshAttr mesh, const planrt::Mesh &whole,
                    const cost::Machine &machine, KnownCollectives &known);

    struct Rank {
        cost::Seconds seconds{};
        cost::Seconds work{};    ///< of these: its processor's own, where that was measured
        cost::Seconds latency{}; ///< of these; 0 where MPI's own call was measured: its latency is work of the ranks
        int rounds = 1;          ///< messages one after the other; what an exchange sends is under way at once
    };
    /// Of each of some ranks. Members of one call share its latency.
    [[nodiscard]] std::vector<Rank> on(const std::vector<int> &ranks) const;

    [[nodiscard]] const std::vector<int> &axes() const { return info_.axes; }
    /// What it hands over by rank, a column for each number that differs; to tell ranks apart.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> numbers() const;

  private:
    [[nodiscard]] Rank price(const std::vector<planrt::Traffic> &handed) const; ///< by member

    schedule::CollectiveInfo info_;
    planrt::Mesh mesh_;
    const cost::Machine &machine_;
    const cost::Group &group_;
    bool in_bucket_ = false;
    std::vector<sharding::Step> steps_;                         ///< per member
    std::vector<const std::vector<planrt::Traffic> *> traffic_; ///< per member: of each rank, or of all
};

/// What a rank of the whole mesh sends of a transfer between roles, its messages all at once.
[[nodiscard]] cost::Price transfer_price(const schedule::TransferInfo &info, const planrt::Mesh &mesh, int rank,
                                         const cost::Machine &machine);

} // namespace planc::timeline
