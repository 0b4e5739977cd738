// The price of one step of a reshard on a machine.
#pragma once

#include "cost/collectives/collectives.h"
#include "cost/collectives/traffic.h"
#include "cost/machine.h"
#include "sharding/lay_out.h"

#include <planrt/layout.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace planc::cost {

struct StepPrice {
    planrt::Traffic traffic; ///< of the busiest rank
    std::int64_t ranks = 1;  ///< of the group
    double vector_bytes = 0; ///< n of the formulas in collectives.h, of the busiest rank
    Algorithm algorithm = Algorithm::ring;
    /// How the program runs it: by messages, or by MPI's own call, which is priced as the algorithm or as measured.
    planrt::Method method;
    const support::CollectiveRate *rate = nullptr; ///< the machine's, of MPI's own call: the price is what was measured
    Price price;
};

/// Has the collective algorithms among which a machine chooses, and steps? All-reduce, reduce-scatter, all-gather.
[[nodiscard]] bool has_methods(sharding::CollectiveKind kind);

/// What was measured of a collective of `n` bytes over a group: of the smallest group measured that is no smaller. Null
/// where the machine says nothing of it, or the group crosses more than one of its levels.
[[nodiscard]] const support::CollectiveRate *measured_rate(sharding::CollectiveKind kind, const Group &group, Bytes n,
                                                           const Machine &machine);

/// Is a copy of the kind that may travel in a bucket of gradients (sharding::fusable())? Then the size of the largest
/// member that a bucket may have decides by what algorithm, since none knows how large the whole will be. Norms are few
/// bytes, together too.
[[nodiscard]] bool in_bucket(bool fusable, sharding::Phase phase);

/// `element_bytes` of the tensor that moves. A slice is free.
[[nodiscard]] StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh,
                                   const Machine &machine, bool in_bucket = false);

/// The same for a rank that hands over `traffic`, in a group as group() makes it.
[[nodiscard]] StepPrice price_traffic(const sharding::Step &step, const planrt::Traffic &traffic, int element_bytes,
                                      const Group &group, const Machine &machine, bool in_bucket = false);

/// The rounds that a step is priced by; of an exchange one message, `halo`: between neighbours.
[[nodiscard]] std::vector<Round> rounds(sharding::CollectiveKind kind, Algorithm algorithm, const Group &group,
                                        bool halo);

/// price_step() that remembers: the steps of a training step are few, but each occurs in many layers.
class StepPrices {
  public:
    /// Both must outlive this.
    StepPrices(const sharding::Mesh &mesh, const Machine &machine) : mesh_(mesh), machine_(machine), sends_(mesh) {}
    const StepPrice &of(const sharding::Step &step, int element_bytes, bool in_bucket = false);

  private:
    const Group &group_over(const std::vector<int> &axes);

    const sharding::Mesh &mesh_;
    const Machine &machine_;
    SendTables sends_;
    std::unordered_map<std::string, StepPrice> known_; ///< by key
    std::map<std::vector<int>, Group> groups_;         ///< by axes
};

/// Bytes that are equal only for steps of one mesh that differ at most in how partial results combine.
[[nodiscard]] std::string key(const sharding::Step &step);

} // namespace planc::cost
