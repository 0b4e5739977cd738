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

using sharding::LayerId;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::ValueId;

/// The operations whose strategies determine how a value is copied or where an operation runs, each with those of its
/// loops that matter. Follows lay_out(): producers, consumers, partial sums through linear operations, homes.
class Structure {
  public:
    explicit Structure(const sharding::GraphIndex &index) : index_(index), graph_(index.graph) {}

    [[nodiscard]] static Structure of_value(const sharding::GraphIndex &index, ValueId value);
    [[nodiscard]] static Structure of_operation(const sharding::GraphIndex &index, OperationId operation);

    /// operation -> its loops that matter. Updates have none.
    [[nodiscard]] const std::map<OperationId, std::set<int>> &operations() const { return operations_; }
    /// Ascending.
    [[nodiscard]] std::vector<LayerId> layers() const;
    /// Equal texts mean equal structure, extents, kinds and loop names; layers and values are numbered by order of
    /// appearance. `value`: that of a structure of_value(), or none.
    [[nodiscard]] std::string text(ValueId value) const;

  private:
    void strategy(OperationId operation);
    void derived(OperationId operation, const std::vector<int> &loops);
    void all_of(OperationId operation);
    void home(ValueId variable);
    void origin(ValueId value);
    void describe(std::string &text, OperationId operation, std::map<ValueId, int> &value_numbers,
                  const std::map<LayerId, int> &layer_numbers) const;

    const sharding::GraphIndex &index_;
    const sharding::Graph &graph_;
    std::map<OperationId, std::set<int>> operations_;
    std::set<OperationId> expanded_; ///< linear operations whose operands' origins have been followed
};

/// The structure of the terms of a graph, which does not depend on the mesh: computed once for all shapes.
struct StepStructure {
    /// The index must outlive this.
    StepStructure(const sharding::GraphIndex &given, const cost::Machine &machine)
        : StepStructure(given, std::make_shared<const cost::GraphFacts>(given.graph, machine)) {}
    StepStructure(const sharding::GraphIndex &given, std::shared_ptr<const cost::GraphFacts> known);

    const sharding::GraphIndex &index;
    std::shared_ptr<const cost::GraphFacts> facts;
    PerOperation<Structure> operations;
    PerValue<Structure> values;
    PerOperation<std::vector<LayerId>> operation_layers; ///< that decide the term; ascending
    PerValue<std::vector<LayerId>> value_layers;
    PerLayer<std::vector<OperationId>> operations_of_layer; ///< whose terms depend on the layer
    PerLayer<std::vector<ValueId>> values_of_layer;
    PerOperation<int> operation_kind; ///< equal if terms have equal prices under equal choices of strategies
    PerValue<int> value_kind;         ///< the same
    PerOperation<int> nest_kind;      ///< equal if tensors have equal placements under equal strategies
};

} // namespace planc::plan
