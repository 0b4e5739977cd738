#include "sharding/check_graph.h"

#include <algorithm>
#include <set>

namespace planc::sharding {

namespace {

class Checker {
  public:
    explicit Checker(const Graph &graph) : graph_(graph), produced_(graph.values.size()) {}

    std::string check() {
        for (const ValueId v : graph_.values.ids())
            if (error_.empty())
                check_value(v);
        for (const OperationId o : graph_.operations.ids())
            if (error_.empty())
                check_operation(o);
        for (const ValueId v : graph_.values.ids())
            require(graph_.values[v].kind != ValueKind::computed || produced_[v],
                    "value '" + graph_.values[v].name + "' is not among the results of its producer");
        for (const ValueId output : graph_.outputs)
            require(graph_.values.contains(output), "an output is not a value");
        for (const ValueId sent : graph_.sent)
            require(graph_.values.contains(sent) && graph_.values[sent].kind == ValueKind::computed,
                    "a value that is sent is not computed");
        return error_;
    }

  private:
    static bool in_range(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }

    void require(bool condition, const std::string &message) {
        if (!condition && error_.empty())
            error_ = message;
    }

    void check_value(ValueId v) {
        const Value &value = graph_.values[v];
        const std::string what = "value '" + value.name + "'";
        require(value.roles.size() == value.extents.size(), what + " has unequal numbers of roles and extents");
        require(std::all_of(value.extents.begin(), value.extents.end(), [](auto extent) { return extent >= 1; }),
                what + " has an extent below 1");
        require(value.element_bytes > 0, what + " has no element size");
        require(graph_.layers.contains(value.layer), what + " has no layer");
        require((value.kind == ValueKind::computed) == static_cast<bool>(value.producer),
                what + " must have a producer exactly if it is computed");
        require(value.producer < graph_.end_of_program(), what + " has an unknown producer");
    }

    void check_operation(OperationId o) {
        const Operation &operation = graph_.operations[o];
        const std::string what = "operation " + std::to_string(o.number()) + " '" + operation.name + "'";
        require(graph_.layers.contains(operation.layer), what + " has no layer");
        require(operation.operands.size() == operation.nest.operands.size(), what + " has operands without loops");
        require(operation.results.size() == operation.nest.results.size(), what + " has results without loops");
        require(operation.writes.empty() || operation.writes.size() == operation.results.size(),
                what + " must say for each result what it writes");
        check_loops(what, operation.nest);
        for (std::size_t i = 0; i < operation.operands.size() && error_.empty(); ++i) {
            const ValueId value = operation.operands[i];
            if (!graph_.values.contains(value))
                return require(false, what + " reads no value");
            require(graph_.values[value].kind != ValueKind::computed || produced_[value],
                    what + " reads '" + graph_.values[value].name + "' before it is produced");
            check_tensor(what, operation.nest, operation.nest.operands[i], value, static_cast<int>(i));
        }
        check_windows(what, operation.nest);
        for (std::size_t i = 0; i < operation.results.size() && error_.empty(); ++i)
            check_result(what, o, i);
    }

    void check_result(const std::string &what, OperationId o, std::size_t i) {
        const Operation &operation = graph_.operations[o];
        const ValueId value = operation.results[i];
        if (!graph_.values.contains(value))
            return require(false, what + " has a result that is no value");
        require(graph_.values[value].producer == o, what + " is not the producer of its result");
        check_tensor(what, operation.nest, operation.nest.results[i], value);
        produced_[value] = true;
        if (i >= operation.writes.size() || !operation.writes[i])
            return;
        const ValueId variable = operation.writes[i];
        require(graph_.values.contains(variable) && graph_.values[variable].kind == ValueKind::variable,
                what + " writes what is no variable");
        require(!error_.empty() || graph_.values[variable].extents == graph_.values[value].extents,
                what + " writes a variable of another shape");
    }

    void check_loops(const std::string &what, const Nest &nest) {
        std::set<std::string> names;
        for (std::size_t l = 0; l < nest.loops.size(); ++l) {
            const Loop &loop = nest.loops[l];
            require(names.insert(loop.name).second, what + " has two loops '" + loop.name + "'");
            for (const std::vector<int> &result : nest.results) {
                const bool present = std::find(result.begin(), result.end(), static_cast<int>(l)) != result.end();
                require(loop.kind != LoopKind::reduced || !present,
                        what + " has the reduced loop '" + loop.name + "' in a result");
                require(loop.kind != LoopKind::parallel || present,
                        what + " lacks the parallel loop '" + loop.name + "' in a result");
            }
        }
    }

    void check_windows(const std::string &what, const Nest &nest) {
        for (const NestWindow &window : nest.windows) {
            const bool there =
                in_range(window.operand, nest.operands.size()) &&
                in_range(window.dimension, nest.operands[static_cast<std::size_t>(window.operand)].size());
            require(there, what + " has a window on no dimension");
            require(in_range(window.kernel_loop, nest.loops.size()) &&
                        nest.loops[static_cast<std::size_t>(window.kernel_loop)].kind == LoopKind::whole,
                    what + " has a window whose kernel is no whole loop");
            require(window.stride >= 1 && window.dilation >= 1, what + " has a window with a stride or dilation of 0");
        }
    }

    /// `operand`: its number; -1: a result.
    void check_tensor(const std::string &what, const Nest &nest, const std::vector<int> &loops, ValueId v,
                      int operand = -1) {
        const Value &value = graph_.values[v];
        require(loops.size() == value.extents.size(), what + ": '" + value.name + "' has another number of dimensions");
        std::set<int> seen;
        for (std::size_t d = 0; d < loops.size() && error_.empty(); ++d) {
            if (!in_range(loops[d], nest.loops.size()))
                return require(false, what + ": '" + value.name + "' has a dimension without a loop");
            const Loop &loop = nest.loops[loops[d]];
            require(seen.insert(loops[d]).second, what + ": '" + value.name + "' has loop '" + loop.name + "' twice");
            const NestWindow *window = operand < 0 ? nullptr : nest.window(static_cast<std::size_t>(operand), d);
            const std::int64_t extent = window == nullptr ? loop.extent : window->extent;
            require(extent == value.extents[d], what + (window == nullptr ? ": loop '" : ": the window of loop '") +
                                                    loop.name + "' has extent " + std::to_string(extent) + ", '" +
                                                    value.name + "' has " + std::to_string(value.extents[d]));
        }
    }

    const Graph &graph_;
    PerValue<bool> produced_;
    std::string error_;
};

} // namespace

std::string check_graph(const Graph &graph) {
    return Checker(graph).check();
}

} // namespace planc::sharding
