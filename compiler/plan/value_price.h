// What the copies of one value cost: its communication, and its bytes in memory.
//
// A search asks for every combination of the strategies that decide where a value lies and is wanted: tens of thousands
// for the stream of a residual network. They are combinations of a few placements, so routes between placements are
// found and priced once, and a combination is priced by numbers.
#pragma once

#include "cost/memory.h"
#include "cost/step_price.h"
#include "sharding/copies.h"
#include "sharding/links.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace planc::plan {

struct ValuePrice {
    double seconds = 0;  ///< fused gradients without their latency
    cost::Bytes bytes{}; ///< of its copies: cost::copies_bytes()
    struct Fused {
        std::vector<int> axes;
        bool norm = false; ///< of the update itself: too late for the buckets of gradients
        double latency = 0;
    };
    std::vector<Fused> fused;
};

/// Routes on one mesh, by the shape of the tensors.
class MeshReshards {
  public:
    /// The mesh must outlive this.
    explicit MeshReshards(const sharding::Mesh &mesh) : mesh_(mesh) {}
    sharding::Reshards &of(const std::vector<std::int64_t> &extents) {
        return shapes_.try_emplace(extents, mesh_).first->second;
    }
    /// How many routes have been found.
    [[nodiscard]] int routes() const;

  private:
    const sharding::Mesh &mesh_;
    std::map<std::vector<std::int64_t>, sharding::Reshards> shapes_;
};

class ValuePrices {
  public:
    /// All must outlive this.
    ValuePrices(const sharding::GraphIndex &index, const sharding::Mesh &mesh, MeshReshards &reshards,
                cost::StepPrices &prices, int value, cost::Residence residence);

    [[nodiscard]] const std::vector<sharding::Need> &needs() const { return links_.needs(); }
    int number(const sharding::Placement &placement) { return reshards_.number(placement); }

    /// `origin` and `wanted` as for sharding::Links: numbers of placements.
    const ValuePrice &of(int origin, std::span<const int> wanted);
    /// Under the strategies of `copies`.
    const ValuePrice &of(sharding::Copies &copies);

  private:
    /// A link as it is priced: what matters of its first use is how often and in which phase.
    struct LinkPrice {
        bool known = false;
        cost::CopyMemory memory;
        std::vector<double> seconds; ///< to be added up
        std::vector<ValuePrice::Fused> fused;
    };
    const LinkPrice &price(const sharding::Link &link);
    [[nodiscard]] LinkPrice priced(const sharding::Link &link) const;
    [[nodiscard]] std::size_t kind_of_use(int operation) const;

    const sharding::Graph &graph_;
    bool has_companion_; ///< sums that it may travel with
    const sharding::Mesh &mesh_;
    cost::StepPrices &prices_;
    int value_;
    cost::Residence residence_;
    sharding::Reshards &reshards_;
    sharding::Links links_;
    std::array<std::vector<LinkPrice>, 5> of_route_; ///< per kind of first use, by number of the route
    std::vector<LinkPrice> of_placement_;            ///< of links without a route
    std::vector<cost::CopyMemory> memory_;
    ValuePrice result_;
};

} // namespace planc::plan
