// What the copies of one value cost at least, from where it lies and where it is wanted, on one mesh.
//
// A lower bound of cost::price() as a sum over operations and values. It rests on sharding and cost, which say what is
// communicated and what that takes, and on this:
//
//   additive    the price of a step is at least the sum, over operations, of their compute and, over values, of what
//               makes their copies, without the latency of calls that several may share
//   shared      of gradients (and of norms) that could be fused over the same axes at least one pays the latency. So
//               each of n of them may be charged 1/n of it, whichever they are
//   scope       what a value's copies cost depends on the layers of sharding::scope() alone, and values and operations
//               of equal structure (plan/structure.h) cost the same under equal strategies
//   transfer    no route from one placement to another takes less than plan/transfer_bound.h says; all copies of a
//               value take together what any of them does at least
//   memory      a rank needs at least what lives through the step and what passes during some one operation; within a
//               limit, seconds >= seconds + price (bytes - limit) for every price >= 0
//
// Tests hold each of them against cost::price() on random networks.
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

/// Calls that could be one: of gradients, or of norms of the update, over the same axes.
struct SharedCall {
    bool update = false;
    int element_bytes = 4;
    std::vector<int> axes;
    friend auto operator<=>(const SharedCall &, const SharedCall &) = default;
};

/// What of the bound is free to choose: any choice gives a bound.
struct Weights {
    double seconds_per_byte = 0;                    ///< the price of memory, not negative
    int operation = -1;                             ///< during which passing values are counted; -1: none of them
    std::map<SharedCall, std::vector<int>> latency; ///< the values that are charged equal parts of a call's latency
};

/// What of a step no mesh changes.
struct StepScopes {
    /// The index must outlive this. `larger`: micro-batches of another graph, which count nothing.
    StepScopes(const sharding::GraphIndex &index, const cost::Machine &machine, int larger);

    plan::StepStructure structure;
    int microbatches = 1;                                    ///< that count
    std::vector<std::vector<sharding::Need>> needs;          ///< per value
    std::vector<std::vector<int>> layers;                    ///< per value: sharding::scope()
    std::vector<std::vector<std::vector<int>>> of_placement; ///< per value and need, then its origin: deciding layers
};

class Pricing {
  public:
    /// All must outlive this.
    Pricing(const StepScopes &step, const Mesh &mesh, const cost::Machine &machine);

    [[nodiscard]] const Mesh &mesh() const { return mesh_; }
    void weigh(const Weights &weights);
    [[nodiscard]] const Weights &weights() const { return weights_; }
    /// Equal for values of one structure that are weighed alike, now and before.
    [[nodiscard]] int kind(int value) const { return kind_[value]; }

    /// Of the placement that a need asks for; need needs.size(): of the origin; -1 for free values.
    int number(int value, std::size_t need, sharding::Copies &copies);
    /// Of all needs, and of the origin.
    std::vector<int> numbers(int value, sharding::Copies &copies);
    [[nodiscard]] int values() const { return static_cast<int>(graph_.values.size()); }
    /// Weighed, given all needs' numbers and the origin's.
    double seconds(int value, const std::vector<int> &numbers);
    /// A lower bound of that, given one need's number and the origin's.
    double least(int value, int origin, int wanted);
    /// An operation's compute.
    double seconds(int operation, sharding::Copies &copies);

    /// The shared calls of a value's copies, and its bytes where they are counted.
    struct Price {
        double seconds = 0;
        double bytes = 0;
        std::vector<std::pair<SharedCall, double>> shared; ///< with the latency
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
    std::vector<Charges> charged_; ///< per value: the part of a call's latency
    std::vector<int> kind_;
    std::map<std::tuple<int, double, Charges>, int> kinds_; ///< by structure, price of memory
    std::vector<sharding::Reshards *> reshards_of_;         ///< per value
    std::map<std::vector<std::int64_t>, sharding::Reshards> reshards_;
    cost::StepPrices steps_;
    plan::TransferBounds transfers_;
    std::map<std::pair<int, std::vector<int>>, Price> known_; ///< by structure and numbers
};

} // namespace planc::certificate
