// Changes to a graph: operations are added, others are left out.
//
//   Rewriting rewriting(graph);
//   const ValueId sum = rewriting.add_behind(place, rewriting.like(add, {a, b}));
//   rewriting.replace(old, sum);
//   rewriting.leave_out_unused(add);
//   const Graph changed = rewriting.finish();
#pragma once

#include "sharding/graph.h"

#include <utility>
#include <vector>

namespace planc::sharding {

class Rewriting {
  public:
    /// Ids of the graph hold until finish().
    explicit Rewriting(const Graph &graph);

    [[nodiscard]] Operation &operation(OperationId o) { return graph_.operations[o]; }
    /// Where it is known.
    [[nodiscard]] SharedWork &work(OperationId o) { return graph_.work[o]; }

    /// A pointwise operation of one result on other operands, which may lack dimensions of the result.
    [[nodiscard]] Operation like(OperationId model, const std::vector<ValueId> &operands) const;
    /// Both return the result, which has the shape of the operation's. It runs by itself, or `as` another one does.
    ValueId add_behind(OperationId place, Operation operation, OperationId as = {}) {
        return add(2 * place.number() + 1, operation, as);
    }
    ValueId add_before(OperationId place, Operation operation) { return add(2 * place.number() - 1, operation, {}); }

    void replace(ValueId value, ValueId by);
    void replace(OperationId o, std::size_t operand, ValueId by) { graph_.operations[o].operands[operand] = by; }
    void leave_out(OperationId o) { is_left_out_[o] = true; }
    /// Also the sums of which it is made, if nothing else needs them.
    void leave_out_unused_sums(OperationId o);

    [[nodiscard]] const std::vector<std::string> &roles(ValueId value) const { return graph_.values[value].roles; }
    /// Whether an operation, the program or a variable takes it.
    [[nodiscard]] bool is_used(ValueId value) const;

    [[nodiscard]] Graph finish();

  private:
    ValueId add(int place, Operation &operation, OperationId as);
    [[nodiscard]] PerValue<int> uses() const;
    [[nodiscard]] std::vector<OperationId> order() const;

    Graph graph_;
    PerOperation<int> place_; ///< twice the number of those that were there
    PerOperation<bool> is_left_out_;
};

/// Whether it adds up two values: the terms of a sum may be added up in another order.
[[nodiscard]] bool is_sum(const Operation &operation);

/// An operation that runs by itself.
[[nodiscard]] Work alone(const Graph &graph, const Operation &operation);

} // namespace planc::sharding
