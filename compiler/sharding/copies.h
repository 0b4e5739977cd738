// The placement of every value of a graph and the copies that are made of it, computed on demand and cached. lay_out()
// asks for all values, copies_of() for one; both get the same answers.
#pragma once

#include "sharding/links.h"

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planc::sharding {

class Copies {
  public:
    /// All must outlive this. `reshards`: the routes that are known, on the same mesh.
    Copies(const GraphIndex &index, const Mesh &mesh, const LayerStrategies &layers, const Storage &storage,
           MeshReshards &reshards)
        : index_(index), graph_(index.graph), mesh_(mesh), layers_(layers), storage_(storage), reshards_(reshards) {}

    /// Prepares for requests for all values.
    void reserve_all() {
        strategies_.reserve(graph_.operations.size());
        derived_.reserve(graph_.operations.size());
    }

    /// The layer's strategy on the operation. If the operation follows a parameter, the strategy that leaves it where
    /// it lives.
    const Strategy &strategy(OperationId operation);
    /// Where the operation needs its operands and leaves its results, including partial sums that it passes on.
    const Derived &derived(OperationId operation);
    /// The placement of copy 0 of a value: as produced, or a variable's home. Not for free values.
    const Placement &origin(ValueId value);
    /// The placement in which something needs a value.
    Placement wanted(ValueId value, const Need &need);
    /// All copies of a value; each one's source comes before it.
    std::vector<Copy> of(ValueId value) {
        return of(value, [](const Need &, int) {});
    }
    /// The same; also calls reads(need, index of the copy) for everything that needs the value.
    using Reads = std::function<void(const Need &, int)>;
    std::vector<Copy> of(ValueId value, const Reads &reads);
    /// Sets the placement in which the first reader needs a variable that has no home yet, so that it is not derived.
    void know_reader(ValueId variable, const Placement &wanted) { homes_[variable] = home_as_read(variable, wanted); }
    /// Moves strategy() and derived() out. Nothing may be asked afterwards.
    std::pair<Strategy, Derived> take(OperationId operation);

  private:
    Strategy follow_parameter(OperationId operation);
    [[nodiscard]] std::vector<int> shares(const std::vector<int> &axes, const Placement &placement) const;
    Derived derive_with_partial_sums(OperationId operation);
    const Placement &home(ValueId variable);
    Placement find_home(ValueId variable);
    [[nodiscard]] Placement home_as_read(ValueId variable, Placement wanted) const;
    [[nodiscard]] Placement with_shares(ValueId variable, Placement home) const;
    /// The placement in which the producer leaves a computed value.
    const Placement &produced(ValueId value);

    const GraphIndex &index_;
    const Graph &graph_;
    const Mesh &mesh_;
    const LayerStrategies &layers_;
    const Storage &storage_;
    std::unordered_map<OperationId, Strategy> strategies_;
    std::unordered_map<OperationId, Derived> derived_;
    std::unordered_map<ValueId, Placement> homes_;
    MeshReshards &reshards_;
};

} // namespace planc::sharding
