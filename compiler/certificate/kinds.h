// The operations on which the cost of an operation or a value depends, and which of them cost the same.
#pragma once

#include "cost/price.h"
#include "sharding/lay_out.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::certificate {

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

/// Which operations and values cost the same under equal strategies.
struct Kinds {
    /// The index must outlive this.
    Kinds(const sharding::GraphIndex &given, const cost::Machine &machine);

    const sharding::GraphIndex &index;
    cost::GraphFacts facts;
    PerOperation<int> of_operation;
    PerValue<int> of_value;
};

} // namespace planc::certificate
