// A lower bound on the cost of one value's copies, given where it lies and where it is needed, on one mesh.
//
// Together these are a lower bound of cost::price() as a sum over operations and values. It rests on sharding and cost,
// which say what is communicated and what that costs, and on these lemmas:
//
//   additive    the price of a step is at least the sum, over operations, of their computation and, over values, of
//               making their copies, without the latency of calls that several may share
//   shared      of n gradients (or norms) that could be fused over the same axes, at least one pays the latency; so
//   each
//               may be charged 1/n of it
//   scope       the cost of a value's copies depends only on the layers of sharding::scope(), and values and operations
//   of
//               equal structure (plan/structure.h) cost the same under equal strategies
//   transfer    no route from one placement to another takes less than plan/transfer_bound.h says; all copies of a
//   value
//               together take at least as long as any one of them
//   memory      a rank needs at least the memory that lives through the step plus what passes during any one operation;
//               within a limit, seconds >= seconds + price (bytes - limit) for every price >= 0
//
// Tests compare each of them with cost::price() on random networks.
#pragma once

#include "plan/plan.h"
#include "plan/structure.h"
#include "plan/transfer_bound.h"

#include "cost/collectives/step_price.h"
#include "sharding/copies.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace planc::certificate {

using sharding::LayerStrategy;
using sharding::Mesh;
using sharding::Storage;

/// Calls that could be merged into one: of gradients, or of norms of the update, over the same axes.
struct SharedCall {
    bool update = false;
    int element_bytes = 4;
    std::vector<int> axes;
    friend auto operator<=>(const SharedCall &, const SharedCall &) = default;
};

/// The free parameters of the bound: any choice gives a valid bound.
struct Weights {
    double seconds_per_byte = 0;                    ///< the price of memory, not negative
    int operation = -1;                             ///< the operation during which passing values are counted; -1: none
    std::map<SharedCall, std::vector<int>> latency; ///< the values that are charged equal parts of a call's latency
};

/// The facts about a step that do not depend on the mesh.
struct StepScopes {
    /// The index must outlive this. `larger`: micro-batches of another graph, which are not counted.
    StepScopes(const sharding::GraphIndex &index, const cost::Machine &machine, int larger);

    plan::StepStructure structure;
    int microbatches = 1;                                    ///< the number of micro-batches that are counted
    std::vector<std::vector<sharding::Need>> needs;          ///< per value
    std::vector<std::vector<int>> layers;                    ///< per value: sharding::scope()
    std::vector<std::vector<std::vector<int>>> of_placement; ///< per value: for each need and then its origin, the
                                                             ///< layers that decide it
};

class Pricing {
  public:
    /// All must outlive this.
    Pricing(const StepScopes &step, const Mesh &mesh, const cost::Machine &machine);

    [[nodiscard]] const Mesh &mesh() const { return mesh_; }
    void weigh(const Weights &weights);
    [[nodiscard]] const Weights &weights() const { return weights_; }
    /// Equal for values of equal structure and equal weights, now and before.
    [[nodiscard]] int kind(int value) const { return kind_[value]; }

    /// The number of the placement that a need asks for, or of the origin if need is needs.size(); -1 for free values.
    int number(int value, std::size_t need, sharding::Copies &copies);
    /// The numbers of all needs and of the origin.
    std::vector<int> numbers(int value, sharding::Copies &copies);
    [[nodiscard]] int values() const { return static_cast<int>(graph_.values.size()); }
    /// The weighted cost, given the numbers of all needs and of the origin.
    double seconds(int value, const std::vector<int> &numbers);
    /// A lower bound of that cost, given one need's number and the origin's.
    double least(int value, int origin, int wanted);
    /// The computation of an operation.
    double seconds(int operation, sharding::Copies &copies);

    /// The shared calls of a value's copies, and the bytes that count.
    struct Price {
        double seconds = 0;
        double bytes = 0;
        std::vector<std::pair<SharedCall, double>> shared; ///< with their latency
    };
    const Price &price(int value, const std::vector<int> &numbers);
    [[nodiscard]] bool in_memory(int value) const;

  private:
    sharding::Reshards &reshards(int value) { return *reshards_of_[value]; }

    const StepScopes &step_;
    const sharding::Graph &graph_;
    const Mesh &mesh_;
    const cost::Machine &machine_;
    Weights weights_;
    using Charges = std::map<SharedCall, double>;
    std::vector<Charges> charged_; ///< per value: its part of a call's latency
    std::vector<int> kind_;
    std::map<std::tuple<int, double, Charges>, int> kinds_; ///< by structure, price of memory
    std::vector<sharding::Reshards *> reshards_of_;         ///< per value
    std::map<std::vector<std::int64_t>, sharding::Reshards> reshards_;
    cost::StepPrices steps_;
    plan::TransferBounds transfers_;
    std::map<std::pair<int, std::vector<int>>, Price> known_; ///< by structure and numbers
};

} // namespace planc::certificate
