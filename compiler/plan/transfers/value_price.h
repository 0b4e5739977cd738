// The cost of one value's copies: their communication, and their bytes in memory.
//
// A search asks for every combination of the strategies that determine where a value lies and is needed: tens of
// thousands for the residual stream of a residual network. These are combinations of a few placements, so routes
// between placements are found and priced once, and a combination is priced by numbers.
#pragma once

#include "cost/memory.h"
#include "plan/plan.h"
#include "sharding/links.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace planc::plan {

struct ValuePrice {
    double seconds = 0;  ///< without the latency of fused gradients
    cost::Bytes bytes{}; ///< of its copies: cost::copies_bytes()
    struct Fused {
        std::vector<int> axes;
        bool norm = false; ///< of the update itself: too late for the buckets of gradients
        double latency = 0;
    };
    std::vector<Fused> fused;
};

/// The kind of an operation that makes or uses a value: how often it runs, and whether it updates; 0: none. Copies that
/// differ only in which operation of a kind uses them first cost the same.
std::size_t kind_of_use(const sharding::Graph &graph, sharding::OperationId operation);

/// A link with its price. Of its first use, only the kind matters.
struct LinkPrice {
    cost::CopyMemory memory;
    std::vector<double> seconds; ///< to be added up
    std::vector<ValuePrice::Fused> fused;
};

/// The prices for values that pay the same for a route; null: not known yet.
struct LinkPrices {
    using Known = std::vector<std::unique_ptr<const LinkPrice>>;
    std::array<Known, 5> of_route; ///< per kind of first use, by number of the route
    Known of_placement;            ///< of links without a route
};

/// The prices of links found so far on one mesh.
class MeshPrices {
  public:
    LinkPrices &links(const sharding::GraphIndex &index, sharding::ValueId value, const sharding::Reshards &reshards);

  private:
    std::map<std::pair<const sharding::Reshards *, std::array<int, 4>>, LinkPrices> links_;
};

class ValuePrices {
  public:
    /// All must outlive this.
    ValuePrices(const sharding::GraphIndex &index, const sharding::Mesh &mesh, KnownPrices &known, MeshPrices &links,
                sharding::ValueId value, cost::Residence residence);

    [[nodiscard]] const std::vector<sharding::Need> &needs() const { return links_.needs(); }

    /// `origin` and `wanted` as in sharding::Links: numbers of placements. Infinite: not possible.
    const ValuePrice &of(int origin, std::span<const sharding::Links::Wanted> wanted);

  private:
    const LinkPrice &price(const sharding::Link &link);
    [[nodiscard]] LinkPrice priced(const sharding::Link &link) const;

    const sharding::Graph &graph_;
    bool has_companion_; ///< sums that may share its call
    const sharding::Mesh &mesh_;
    cost::StepPrices &prices_;
    sharding::ValueId value_;
    cost::Residence residence_;
    sharding::Reshards &reshards_;
    sharding::Links links_;
    LinkPrices &known_;
    std::vector<cost::CopyMemory> memory_;
    ValuePrice result_;
};

} // namespace planc::plan
