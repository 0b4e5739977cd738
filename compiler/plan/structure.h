// The operations on which a term of the objective depends, and a text that is equal for terms of equal structure.
#pragma once

#include "cost/price.h"
#include "sharding/lay_out.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace planc::plan {

/// The operations whose strategies determine how a value is copied or where an operation runs, each with those of its
/// loops that matter. Follows lay_out(): producers, consumers, partial sums through linear operations, homes.
class Structure {
  public:
    explicit Structure(const sharding::GraphIndex &index) : index_(index), graph_(index.graph) {}

    [[nodiscard]] static Structure of_value(const sharding::GraphIndex &index, int value);
    [[nodiscard]] static Structure of_operation(const sharding::GraphIndex &index, int operation);

    /// operation -> its loops that matter. Updates have none.
    [[nodiscard]] const std::map<int, std::set<int>> &operations() const { return operations_; }
    /// Layers, ascending.
    [[nodiscard]] std::vector<int> layers() const;
    /// Equal texts mean equal structure, extents, kinds and loop names; layers and values are numbered by order of
    /// appearance.
    [[nodiscard]] std::string text(int value) const;

  private:
    void strategy(int operation);
    void derived(int operation, const std::vector<int> &loops);
    void all_of(int operation);
    void home(int variable);
    void origin(int value);
    void describe(std::string &text, int operation, std::map<int, int> &value_ids,
                  const std::map<int, int> &layer_ids) const;

    const sharding::GraphIndex &index_;
    const sharding::Graph &graph_;
    std::map<int, std::set<int>> operations_;
    std::set<int> expanded_; ///< linear operations whose operands' origins have been followed
};

/// The structure of the terms of a graph, which does not depend on the mesh: computed once for all shapes.
struct StepStructure {
    /// The index must outlive this.
    StepStructure(const sharding::GraphIndex &given, const cost::Machine &machine)
        : StepStructure(given, std::make_shared<const cost::GraphFacts>(given.graph, machine)) {}
    StepStructure(const sharding::GraphIndex &given, std::shared_ptr<const cost::GraphFacts> known);

    const sharding::GraphIndex &index;
    std::shared_ptr<const cost::GraphFacts> facts;
    std::vector<Structure> operations;
    std::vector<Structure> values;
    std::vector<std::vector<int>> operation_layers; ///< that decide the term; ascending
    std::vector<std::vector<int>> value_layers;
    std::vector<std::vector<int>> operations_of_layer; ///< per layer: those whose term depends on it
    std::vector<std::vector<int>> values_of_layer;
    std::vector<int> operation_kind; ///< equal for operations whose terms have equal prices under equal choices of
                                     ///< strategies
    std::vector<int> value_kind;     ///< the same of values
    std::vector<int> nest_kind; ///< equal for operations whose tensors have equal placements under equal strategies
};

} // namespace planc::plan
