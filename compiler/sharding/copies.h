// Where every value of a graph lies and which copies of it are made, computed on demand and remembered: lay_out() asks
// for everything, copies_of() for one value. Both get the same answers.
#pragma once

#include "sharding/links.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planc::sharding {

class Copies {
  public:
    /// All four must outlive this.
    Copies(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers, const Storage &storage)
        : index_(index), graph_(index.graph), mesh_(mesh), layers_(layers), storage_(storage) {}

    /// Everything will be asked for.
    void reserve_all() {
        strategies_.reserve(graph_.operations.size());
        derived_.reserve(graph_.operations.size());
    }

    /// The layer's strategy on the operation; where it follows a parameter, the one that keeps that at home.
    const Strategy &strategy(int operation);
    /// Where the operation wants its operands and leaves its results, partial sums passed on included.
    const Derived &derived(int operation);
    /// Where copy 0 of a value lies: as produced, or a variable's home. Not for free values.
    const Placement &origin(int value);
    /// Where something wants a value.
    Placement wanted(int value, const Need &need);
    /// All copies of a value; each one's source comes before it.
    std::vector<Copy> of(int value) {
        return of(value, [](const Need &, int) {});
    }
    /// The same; calls reads(need, number of the copy) for all that need the value.
    using Reads = std::function<void(const Need &, int)>;
    std::vector<Copy> of(int value, const Reads &reads);
    /// Of a variable without a home of its own: its first reader wants it so. Then that is not derived.
    void know_reader(int variable, const Placement &wanted) { homes_[variable] = home_as_read(variable, wanted); }
    /// strategy() and derived(), given away: nothing is asked any more afterwards.
    std::pair<Strategy, Derived> take(int operation);

  private:
    Strategy follow_parameter(int operation);
    [[nodiscard]] std::vector<int> shares(const std::vector<int> &axes, const Placement &placement) const;
    Derived derive_with_partial_sums(int operation);
    const Placement &home(int variable);
    Placement find_home(int variable);
    [[nodiscard]] Placement home_as_read(int variable, Placement wanted) const;
    [[nodiscard]] Placement with_shares(int variable, Placement home) const;
    /// Of a computed value: as its producer leaves it.
    const Placement &produced(int value);

    const GraphIndex &index_;
    const Graph &graph_;
    const Mesh &mesh_;
    const std::vector<LayerStrategy> &layers_;
    const Storage &storage_;
    std::unordered_map<int, Strategy> strategies_;
    std::unordered_map<int, Derived> derived_;
    std::unordered_map<int, Placement> homes_;
    std::map<std::vector<std::int64_t>, Reshards> reshards_; ///< by extents
};

} // namespace planc::sharding
