// Where every value of a graph lies and which copies of it are made, computed on demand and remembered: lay_out() asks
// for everything, copies_of() for one value. Both get the same answers.
#pragma once

#include "sharding/lay_out.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace planc::sharding {

/// reshard() that remembers: the same few pairs of placements occur again and again.
class Reshards {
  public:
    /// `mesh` must outlive this.
    explicit Reshards(const Mesh &mesh) : mesh_(mesh) {}
    struct Route {
        std::vector<Step> steps;
        double volume = 0; ///< wire_volume()
    };
    const Route &of(const Placement &from, const Placement &to);

  private:
    const Mesh &mesh_;
    std::unordered_map<std::string, Route> known_;
};

class Copies {
  public:
    /// All must outlive this.
    Copies(const GraphIndex &index, const Mesh &mesh, const std::vector<LayerStrategy> &layers, const Storage &storage,
           Reshards &reshards)
        : index_(index), graph_(index.graph), mesh_(mesh), layers_(layers), storage_(storage), reshards_(reshards) {}

    /// Says that the strategy of a layer has changed since something was asked.
    void forget(int layer);

    /// The layer's strategy on the operation; where it follows a parameter, the one that keeps that at home.
    const Strategy &strategy(int operation);
    /// Where the operation wants its operands and leaves its results, partial sums passed on included.
    const Derived &derived(int operation);
    /// Where copy 0 of a value lies: as produced, or a variable's home. Not for free values.
    Placement origin(int value);
    /// All copies of a value; each one's source comes before it.
    std::vector<Copy> of(int value);
    /// Which of the copies operation `reader` reads in `placement` (graph.operations.size(): the end of the program).
    int find(int value, const std::vector<Copy> &copies, const Placement &placement, int reader);

  private:
    /// A placement that is wanted, and the first operation that wants it (graph_.operations.size(): the end).
    struct Wanted {
        Placement placement;
        int first_use = 0;
        Pass pass = Pass::forward;
    };

    Strategy follow_parameter(int operation);
    [[nodiscard]] std::vector<int> shares(const std::vector<int> &axes, const Placement &placement) const;
    Pass pass(int value, const Placement &placement, int reader);
    Derived derive_with_partial_sums(int operation);
    Placement home(int variable);
    std::vector<Wanted> wanted(int value);
    std::vector<Copy> connect(int value, std::vector<Wanted> wanted);
    void book(int value, Copy &copy) const;

    const GraphIndex &index_;
    const Graph &graph_;
    const Mesh &mesh_;
    const std::vector<LayerStrategy> &layers_;
    const Storage &storage_;
    Reshards &reshards_;
    std::map<int, Strategy> strategies_;
    std::map<int, Derived> derived_;
    std::map<int, std::vector<int>> depends_; ///< per operation that was asked about: on which layers
};

} // namespace planc::sharding
