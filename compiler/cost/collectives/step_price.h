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
    planrt::Traffic traffic; ///< of the rank that sends most
    std::int64_t ranks = 1;  ///< of the group
    double vector_bytes = 0; ///< n in the formulas of collectives.h: of the rank whose sends or receives take longest
    Algorithm algorithm = Algorithm::ring;
    /// How the program runs it: by messages, or by MPI's own call, which is priced as the algorithm or as measured.
    planrt::Method method;
    const support::CollectiveRate *rate = nullptr; ///< the machine's measured rate of MPI's own call, by which the
                                                   ///< price was computed
    Price price;
};

/// Whether the machine chooses among algorithms for this collective: all-reduce, reduce-scatter, all-gather.
[[nodiscard]] bool has_methods(sharding::CollectiveKind kind);

/// The measured rate of a collective of `n` bytes over a group: that of the smallest measured group that is no smaller.
/// Null if the machine has none, or if the group crosses more than one of its levels.
[[nodiscard]] const support::CollectiveRate *measured_rate(sharding::CollectiveKind kind, const Group &group, Bytes n,
                                                           const Machine &machine);

/// Whether a copy of this kind may join a bucket of gradients (sharding::fusable()). Then the algorithm is chosen by
/// the size of the largest possible member, because the size of the bucket is not known yet. Norms are small, even
/// together.
[[nodiscard]] bool in_bucket(bool fusable, sharding::Phase phase);

/// `element_bytes`: of the tensor that moves. A slice costs nothing.
[[nodiscard]] StepPrice price_step(const sharding::Step &step, int element_bytes, const sharding::Mesh &mesh,
                                   const Machine &machine, bool in_bucket = false);

/// The same for a rank with this flow, in a group made by group(). `sent`: how the program sends it; none: as it is the
/// cheapest.
[[nodiscard]] StepPrice price_flow(const sharding::Step &step, const Flow &flow, int element_bytes, const Group &group,
                                   const Machine &machine, bool in_bucket = false,
                                   const planrt::Method *sent = nullptr);

/// The rounds by which a step is priced. For an exchange, it is one message; `halo`: between neighbours.
[[nodiscard]] std::vector<Round> rounds(sharding::CollectiveKind kind, Algorithm algorithm, const Group &group,
                                        bool halo);

/// A cache for price_step(): a training step has few different reshard steps, but each occurs in many layers.
class StepPrices {
  public:
    /// Both must outlive this.
    StepPrices(const sharding::Mesh &mesh, const Machine &machine)
        : mesh_(mesh), whole_(mesh), machine_(machine), sends_(mesh) {}
    /// `mesh`: of a role of the whole mesh, by whose numbers its ranks lie in the machine. Both must outlive this.
    StepPrices(const sharding::Mesh &mesh, const sharding::Mesh &whole, planrt::Role role, const Machine &machine)
        : mesh_(mesh), whole_(whole), role_(std::move(role)), machine_(machine), sends_(mesh) {}
    const StepPrice &of(const sharding::Step &step, int element_bytes, bool in_bucket = false);
    SendTables &sends() { return sends_; }
    /// SendTables::blocks_of_needed()
    [[nodiscard]] double blocks_of_needed() const { return sends_.blocks_of_needed(); }

  private:
    const Group &group_over(const std::vector<int> &axes);
    [[nodiscard]] std::vector<Flow> slowest_flows(const sharding::Step &step, const Group &group);

    const sharding::Mesh &mesh_;
    const sharding::Mesh &whole_;
    planrt::Role role_;
    const Machine &machine_;
    SendTables sends_;
    std::unordered_map<std::string, StepPrice> known_; ///< by key
    std::map<std::vector<int>, Group> groups_;         ///< by axes
};

} // namespace planc::cost
