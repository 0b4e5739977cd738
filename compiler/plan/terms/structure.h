// The variables on which each term of the objective depends, and which terms are alike.
//
// Variables are the layers, whose values are their strategies, and two kinds that follow from them, so that no table
// depends on too many layers: sums, and readers (StepStructure::Reader). Sums: where several layers decide whether
// partial sums pass through an operation, the axes over which they do are a variable of their own. Its value follows
// from the layers (Term::binds), and everything further down depends on that value instead of on all of these layers.
// Example: the gradients of query, key and value are added up before they are reduced; what reads the sum depends on
// one variable instead of on three layers.
#pragma once

#include "cost/key.h"
#include "cost/price.h"
#include "sharding/lay_out.h"
#include "sharding/links.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace planc::plan {

using sharding::LayerId;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::ValueId;

/// The sums that are variables, numbered after the layers.
struct SumVariables {
    explicit SumVariables(const sharding::GraphIndex &index);

    PerOperation<LayerId> of;            ///< none: what passes follows from the operands
    std::vector<OperationId> operations; ///< by number
};

/// The operations whose strategies determine how a value is copied, where an operation runs, or what passes through it,
/// each with those of its loops that matter. Follows lay_out(): producers, consumers, partial sums through linear
/// operations as far as these are no variables, homes.
class Structure {
  public:
    Structure(const sharding::GraphIndex &index, const SumVariables &sums)
        : index_(index), graph_(index.graph), sums_(sums) {}

    [[nodiscard]] static Structure of_value(const sharding::GraphIndex &index, const SumVariables &sums, ValueId value);
    [[nodiscard]] static Structure of_operation(const sharding::GraphIndex &index, const SumVariables &sums,
                                                OperationId operation);
    /// Of what passes through an operation whose sums are a variable.
    [[nodiscard]] static Structure of_sums(const sharding::GraphIndex &index, const SumVariables &sums,
                                           OperationId operation);
    /// Of where something needs a value, and of where the value lies.
    [[nodiscard]] static Structure of_need(const sharding::GraphIndex &index, const SumVariables &sums,
                                           const sharding::Need &need);
    [[nodiscard]] static Structure of_origin(const sharding::GraphIndex &index, const SumVariables &sums,
                                             ValueId value);

    /// operation -> its loops that matter. Updates have none.
    [[nodiscard]] const std::map<OperationId, std::set<int>> &operations() const { return operations_; }
    /// Layers, then sums, ascending.
    [[nodiscard]] std::vector<LayerId> variables() const;
    /// Equal keys mean equal structure, extents, kinds and loop names; variables and values are numbered by order of
    /// appearance. `value`: that of a structure of_value(), or none.
    void describe(cost::Key &key, ValueId value) const;

  private:
    void strategy(OperationId operation);
    void derived(OperationId operation, const std::vector<int> &loops);
    void all_of(OperationId operation);
    void home(ValueId variable);
    void origin(ValueId value);
    void describe(cost::Key &key, OperationId operation, std::map<ValueId, int> &value_numbers,
                  const std::map<LayerId, int> &layer_numbers) const;

    const sharding::GraphIndex &index_;
    const sharding::Graph &graph_;
    const SumVariables &sums_;
    std::map<OperationId, std::set<int>> operations_;
    std::set<OperationId> by_variable_; ///< of these, those through which a variable says what passes
    std::set<OperationId> expanded_;    ///< linear operations whose operands' origins have been followed
};

/// The structure of the terms of a graph, which does not depend on the mesh: computed once for all shapes.
struct StepStructure {
    /// The index must outlive this.
    StepStructure(const sharding::GraphIndex &given, const cost::Machine &machine)
        : StepStructure(given, std::make_shared<const cost::GraphFacts>(given.graph, machine)) {}
    StepStructure(const sharding::GraphIndex &given, std::shared_ptr<const cost::GraphFacts> known);

    /// The variables on which a term depends, and a number that is equal for terms of equal prices under equal values.
    struct Scope {
        Structure structure;
        std::vector<LayerId> variables; ///< ascending
        int kind = 0;
    };

    /// Readers of a value that many layers decide are taken one after another: a variable after each says in which
    /// placements those so far want the value (`wanted`, numbered after the sums).
    struct Reader {
        std::vector<std::size_t> needs; ///< of sharding::needs(), that depend on the same variables
        std::vector<LayerId> variables; ///< ascending
        LayerId wanted;
    };

    const sharding::GraphIndex &index;
    std::shared_ptr<const cost::GraphFacts> facts;
    SumVariables sums;
    PerOperation<Scope> operations;
    PerValue<Scope> values;
    std::vector<Scope> passing;            ///< by number of the sum
    PerValue<std::vector<Reader>> readers; ///< empty: few layers decide
    PerOperation<int> nest_kind;           ///< equal if tensors have equal placements under equal strategies
    std::size_t variables = 0;             ///< how many: layers, sums, and of readers

  private:
    void find_readers();
};

} // namespace planc::plan
