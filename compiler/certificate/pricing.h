// A lower bound on the cost of one value's copies, given where it lies and where it is needed, on one mesh.
//
// Together these are a lower bound of cost::price() as a sum over operations and values. It rests on sharding and cost,
// which say what is communicated and what that costs, and on these lemmas:
//
//   additive    the price of a step is at least the sum, over operations, of their computation and, over values, of
//               making their copies, without the latency of calls that several may share
//   shared      of n gradients (or norms) that could be fused over the same axes, at least one pays the latency; so
//               each may be charged 1/n of it. Fused gradients over the same axes all have the same latency: it is
//               paid, or none is reduced over these axes
//   scope       the cost of a value's copies depends only on the layers of sharding::scope(), and values and operations
//               of equal kind (kinds.h) cost the same under equal strategies
//   passing     an operation that passes partial sums on reads, beside its own strategy, where its operands lie, and
//               nothing else of the strategies under which these were made (sharding::Copies)
//   transfer    no route from one placement to another takes less than least_transfer.h says; all copies of a value
//               together take at least as long as any one of them
//   memory      a rank needs at least the memory that lives through the step plus what passes during any one operation;
//               within a limit, seconds >= seconds + price (bytes - limit) for every price >= 0
//
// Tests compare each of them with cost::price() on random networks.
#pragma once

#include "certificate/kinds.h"
#include "certificate/least_transfer.h"
#include "plan/plan.h"

#include "cost/collectives/step_price.h"
#include "sharding/copies.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace planc::certificate {

using sharding::LayerId;
using sharding::LayerStrategies;
using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerValue;
using sharding::Storage;
using sharding::ValueId;

/// Calls that could be merged into one: of gradients, or of norms of the update, over the same axes.
struct SharedCall {
    bool update = false;
    int element_bytes = 4;
    std::vector<int> axes;
    friend auto operator<=>(const SharedCall &, const SharedCall &) = default;
};

/// The free parameters of the bound: any choice gives a valid bound.
struct Weights {
    double seconds_per_byte = 0; ///< the price of memory, not negative
    OperationId operation;       ///< the operation during which passing values are counted, or none
    std::map<SharedCall, std::vector<ValueId>> latency; ///< the values that are charged equal parts of a call's latency
    std::map<SharedCall, bool> occurs; ///< what branches say: some value uses the call, which is paid; or none does
    double penalty = 0;                ///< seconds that a value is charged for a call that none uses, not negative
};

/// What decides a placement: see "passing" above.
struct Derivation {
    std::vector<LayerId> layers;     ///< all on whose strategies it depends, ascending
    std::vector<LayerId> strategies; ///< those of them whose strategies the last operation reads itself
    std::vector<ValueId> operands;   ///< of this operation, if it reads where they lie and that depends on any strategy
    std::vector<ValueId> passing;    ///< operands, their operands ... that depend on several layers, each after its own
};

/// The facts about a step that do not depend on the mesh.
struct StepScopes {
    /// The index must outlive this. `larger`: micro-batches of another graph, which are not counted.
    StepScopes(const sharding::GraphIndex &index, const cost::Machine &machine, int larger);

    Kinds kinds;
    int microbatches = 1; ///< the number of micro-batches that are counted
    PerValue<std::vector<sharding::Need>> needs;
    PerValue<std::vector<LayerId>> layers;          ///< sharding::scope()
    PerValue<std::vector<Derivation>> of_placement; ///< for each need and then the origin
    /// Of each value: whether its copies pay for their messages alone, and how often a step makes each at least.
    PerValue<bool> alone;
    PerValue<int> times;

  private:
    void find_passing(const std::vector<ValueId> &values, std::vector<ValueId> &passing) const;
};

class Pricing {
  public:
    /// All must outlive this.
    Pricing(const StepScopes &step, const Mesh &mesh, const cost::Machine &machine);

    [[nodiscard]] const Mesh &mesh() const { return mesh_; }
    /// The routes on the mesh.
    [[nodiscard]] sharding::MeshReshards &routes() { return reshards_; }
    void weigh(const Weights &weights);
    [[nodiscard]] const Weights &weights() const { return weights_; }
    /// Equal for values of equal structure and equal weights, now and before.
    [[nodiscard]] int kind(ValueId value) const { return kind_[value]; }

    /// The number of the placement that a need asks for, or of the origin if need is needs.size(); -1 for free values.
    int number(ValueId value, std::size_t need, sharding::Copies &copies);
    /// The numbers of all needs and of the origin.
    std::vector<int> numbers(ValueId value, sharding::Copies &copies);
    [[nodiscard]] const sharding::Graph &graph() const { return graph_; }
    /// The weighted cost, given the numbers of all needs and of the origin.
    double seconds(ValueId value, const std::vector<int> &numbers);
    /// A lower bound of that cost, given one need's number and the origin's.
    double least(ValueId value, int origin, int wanted);
    /// The computation of an operation.
    double seconds(OperationId operation, sharding::Copies &copies);

    /// The shared calls of a value's copies, and the bytes that count.
    struct Price {
        double seconds = 0;
        double bytes = 0;
        std::vector<std::pair<SharedCall, double>> shared; ///< with their latency
    };
    const Price &price(ValueId value, const std::vector<int> &numbers);
    [[nodiscard]] bool in_memory(ValueId value) const;
    /// Of gradients.
    [[nodiscard]] double latency(const SharedCall &call);

  private:
    sharding::Reshards &reshards(ValueId value) { return *reshards_of_[value]; }

    const StepScopes &step_;
    const sharding::Graph &graph_;
    const Mesh &mesh_;
    const cost::Machine &machine_;
    Weights weights_;
    using Charges = std::map<SharedCall, double>;
    PerValue<Charges> charged_; ///< its part of a call's latency
    PerValue<int> kind_;
    std::map<std::tuple<int, double, Charges>, int> kinds_; ///< by structure, price of memory
    PerValue<sharding::Reshards *> reshards_of_;
    sharding::MeshReshards reshards_;
    cost::StepPrices steps_;
    LeastTransfers transfers_;
    std::map<std::pair<int, std::vector<int>>, Price> known_; ///< by structure and numbers
};

} // namespace planc::certificate
