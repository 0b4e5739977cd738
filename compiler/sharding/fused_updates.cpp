#include "sharding/fused_updates.h"

#include "sharding/graph_index.h"
#include "sharding/rewriting.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace planc::sharding {

namespace {

bool is_elementwise_update(const Operation &operation) {
    const auto is_split = [](const Loop &loop) { return loop.kind == LoopKind::parallel; };
    return operation.parameter && operation.phase == Phase::update && !operation.accumulates &&
           operation.kernel == Kernel::pointwise && operation.matrix.empty() && is_flat(operation.nest) &&
           std::ranges::all_of(operation.nest.loops, is_split);
}

bool have_equal_loops(const Nest &a, const Nest &b) {
    return std::ranges::equal(a.loops, b.loops, [](const Loop &of_a, const Loop &of_b) {
        return of_a.name == of_b.name && of_a.extent == of_b.extent;
    });
}

class Fusing {
  public:
    explicit Fusing(const Graph &graph) : graph_(graph), rewriting_(graph), last_use_(graph.values.size()) {
        for (const OperationId o : graph.operations.ids()) {
            for (const ValueId operand : graph.operations[o].operands)
                last_use_[operand] = std::max(last_use_[operand], o);
            for (std::size_t i = 0; i < graph.operations[o].writes.size(); ++i)
                if (graph.operations[o].writes[i])
                    last_use_[graph.operations[o].results[i]] = graph.end_of_program();
        }
        for (const std::vector<ValueId> *values : {&graph.outputs, &graph.sent})
            for (const ValueId value : *values)
                last_use_[value] = graph.end_of_program();
    }

    Graph run() {
        for (const OperationId o : graph_.operations.ids()) {
            if (!run_.empty() && !continues(o))
                end_run();
            if (is_elementwise_update(graph_.operations[o]))
                run_.push_back(o);
        }
        end_run();
        return rewriting_.finish();
    }

  private:
    /// Whether the run may go on with the operation. Numbers, which have no loops, may be made among tensors.
    [[nodiscard]] bool continues(OperationId o) const {
        const Operation &operation = graph_.operations[o];
        const Operation &first = graph_.operations[run_.front()];
        const Nest &loops = graph_.operations[with_loops()].nest;
        return is_elementwise_update(operation) && !begins_sum(operation) && operation.parameter == first.parameter &&
               operation.layer == first.layer && operation.per_step == first.per_step &&
               operation.level == first.level && operation.replica == first.replica &&
               (operation.nest.loops.empty() || loops.loops.empty() || have_equal_loops(operation.nest, loops));
    }

    /// Whether it takes nothing of the run and gives it nothing, as the squares for the norm of a weight: it may then
    /// be made before what the run waits for, the sum of a gradient over replicas.
    [[nodiscard]] bool begins_sum(const Operation &operation) const {
        const bool takes = std::ranges::any_of(operation.operands, [this](ValueId value) {
            return graph_.values[value].producer && graph_.values[value].producer >= run_.front();
        });
        return !takes && std::ranges::all_of(operation.results, [this](ValueId value) {
            return last_use_[value] < graph_.end_of_program() &&
                   !is_elementwise_update(graph_.operations[last_use_[value]]);
        });
    }

    /// An operation of the run that has all loops.
    [[nodiscard]] OperationId with_loops() const {
        const auto has_loops = [this](OperationId o) { return !graph_.operations[o].nest.loops.empty(); };
        const auto found = std::ranges::find_if(run_, has_loops);
        return found == run_.end() ? run_.front() : *found;
    }

    /// Whether something behind the run needs the value.
    [[nodiscard]] bool is_needed(ValueId value) const { return last_use_[value] > run_.back(); }

    void end_run() {
        if (run_.size() > 1)
            fuse();
        run_.clear();
    }

    void fuse() {
        const OperationId last = run_.back();
        Operation fused = graph_.operations[last];
        fused.name = "update";
        fused.nest = {graph_.operations[with_loops()].nest.loops, {}, {}};
        fused.operands.clear();
        fused.results.clear();
        fused.writes.clear();
        fused.flops_per_point = 0;
        bool numbers_stay = true;
        for (const OperationId o : run_)
            numbers_stay &= add(graph_.operations[o], fused);
        if (!numbers_stay || fused.results.empty() || !is_flat(fused.nest))
            return;
        Work work;
        for (const OperationId o : run_) {
            if (!graph_.work.empty())
                append(o, fused, work);
            if (o != last)
                rewriting_.leave_out(o);
        }
        rewriting_.operation(last) = std::move(fused);
        if (!graph_.work.empty())
            rewriting_.work(last) = std::move(work);
    }

    /// Returns false if a number that the operation makes is needed behind a run that makes tensors.
    bool add(const Operation &operation, Operation &fused) const {
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId value = operation.operands[i];
            const OperationId producer = graph_.values[value].producer;
            const bool is_inner = producer && producer >= run_.front();
            if (is_inner || std::ranges::find(fused.operands, value) != fused.operands.end())
                continue;
            fused.operands.push_back(value);
            fused.nest.operands.push_back(operation.nest.operands[i]);
        }
        if (operation.nest.loops.size() == fused.nest.loops.size())
            fused.flops_per_point += operation.flops_per_point;
        for (std::size_t i = 0; i < operation.results.size(); ++i) {
            const ValueId value = operation.results[i];
            if (!is_needed(value))
                continue;
            if (operation.nest.loops.size() != fused.nest.loops.size())
                return false;
            fused.results.push_back(value);
            fused.nest.results.push_back(operation.nest.results[i]);
            fused.writes.push_back(i < operation.writes.size() ? operation.writes[i] : ValueId());
        }
        return true;
    }

    /// The work of an operation, whose tensors are those of the fused one or of none.
    void append(OperationId o, const Operation &fused, Work &to) const {
        const auto tell = [](std::vector<Part::Tensor> &tensors, const std::vector<ValueId> &from,
                             const std::vector<ValueId> &among) {
            for (Part::Tensor &tensor : tensors)
                if (tensor.of >= 0) {
                    const auto at = std::ranges::find(among, from[static_cast<std::size_t>(tensor.of)]);
                    tensor.of = at == among.end() ? -1 : static_cast<int>(at - among.begin());
                }
        };
        for (auto parts : {&Work::parts, &Work::without_product, &Work::cuts})
            for (Part part : graph_.work[o].get().*parts) {
                tell(part.operands, graph_.operations[o].operands, fused.operands);
                tell(part.results, graph_.operations[o].results, fused.results);
                (to.*parts).push_back(std::move(part));
            }
    }

    const Graph &graph_;
    Rewriting rewriting_;
    PerValue<OperationId> last_use_; ///< end_of_program(): behind all
    std::vector<OperationId> run_;   ///< that goes on
};

} // namespace

Graph with_fused_updates(const Graph &graph) {
    return Fusing(graph).run();
}

} // namespace planc::sharding
