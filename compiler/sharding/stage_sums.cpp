#include "sharding/stage_sums.h"

#include "sharding/rewriting.h"

#include <algorithm>
#include <map>

namespace planc::sharding {

namespace {

class Finding {
  public:
    Finding(const Graph &graph, const LayerStages &layers)
        : graph_(graph), variables_(stages_of_variables(graph, layers)), staged_(staged(graph, layers)),
          users_(graph.values.size()), uses_(graph.values.size(), 0) {
        for (const OperationId o : graph.operations.ids()) {
            for (const ValueId operand : graph.operations[o].operands) {
                users_[operand].push_back(o);
                ++uses_[operand];
            }
            for (std::size_t i = 0; i < graph.operations[o].writes.size(); ++i)
                uses_[graph.operations[o].results[i]] += graph.operations[o].writes[i] ? 1 : 0;
        }
        for (const ValueId output : graph.outputs)
            ++uses_[output];
    }

    std::vector<StageSum> run() {
        for (const ValueId v : graph_.values.ids())
            if (graph_.values[v].kind == ValueKind::variable && variables_[v].size() > 1)
                if (const ValueId gradient = gradient_of(v))
                    add_gradient(v, gradient);
        for (const OperationId o : graph_.operations.ids())
            if (is_norm(o))
                add_norm(graph_.operations[o].results.front());
        return std::move(result_);
    }

  private:
    [[nodiscard]] OperationId producer(ValueId value) const { return graph_.values[value].producer; }
    [[nodiscard]] bool is_sum_of_terms(ValueId value) const {
        return producer(value) && is_sum(graph_.operations[producer(value)]);
    }

    /// The first stage that makes a value; -1: each has it.
    [[nodiscard]] int stage_of(ValueId value) const {
        return producer(value) ? staged_.stages[producer(value)].front() : -1;
    }

    /// The terms of a sum of sums, in their order. A sum that is used twice is a term.
    void collect(ValueId value, bool root, std::vector<ValueId> &terms) const {
        if (!is_sum_of_terms(value) || (!root && uses_[value] > 1)) {
            terms.push_back(value);
            return;
        }
        for (const ValueId term : graph_.operations[producer(value)].operands)
            collect(term, false, terms);
    }

    template <class StageOf> [[nodiscard]] std::vector<StageSum::Part> by_stage(ValueId sum, StageOf stage_of) const {
        std::vector<ValueId> terms;
        collect(sum, true, terms);
        std::map<int, std::vector<ValueId>> of_stage;
        for (const ValueId term : terms)
            of_stage[stage_of(term)].push_back(term);
        std::vector<StageSum::Part> parts;
        for (auto &[stage, own] : of_stage)
            parts.push_back({stage, std::move(own), {}});
        return parts;
    }

    /// The gradient of a micro-batch: what is accumulated, or else what the update takes.
    [[nodiscard]] ValueId gradient_of(ValueId parameter) const {
        for (const Operation &operation : graph_.operations)
            if (operation.accumulates && operation.parameter == parameter && !sums_statistics(graph_, operation))
                return operation.operands.front();
        for (const Operation &operation : graph_.operations)
            if (operation.parameter == parameter)
                for (const ValueId operand : operation.operands)
                    if (producer(operand) && !graph_.operations[producer(operand)].parameter &&
                        graph_.operations[producer(operand)].phase == Phase::weight_gradient)
                        return operand;
        return {};
    }

    void add_gradient(ValueId parameter, ValueId gradient) {
        StageSum sum{gradient, {}, parameter, by_stage(gradient, [this](ValueId v) { return stage_of(v); }), {}};
        if (sum.parts.size() < 2)
            return;
        for (const OperationId user : users_[gradient])
            if (graph_.operations[user].accumulates && graph_.operations[user].parameter == parameter)
                sum.accumulates = user;
        result_.push_back(std::move(sum));
    }

    /// A scalar of the update that follows no parameter.
    [[nodiscard]] bool is_part_of_norm(OperationId o) const {
        const Operation &operation = graph_.operations[o];
        return is_sum(operation) && operation.phase == Phase::update && !operation.parameter &&
               graph_.values[operation.results.front()].roles.empty();
    }

    [[nodiscard]] bool is_norm(OperationId o) const {
        return is_part_of_norm(o) && std::ranges::none_of(users_[graph_.operations[o].results.front()],
                                                          [this](OperationId user) { return is_part_of_norm(user); });
    }

    void add_norm(ValueId whole) {
        StageSum sum{whole, {}, {}, by_stage(whole, [this](ValueId v) { return stage_of_norm(v); }), {}};
        if (sum.parts.size() < 2)
            return;
        for (StageSum::Part &part : sum.parts) {
            for (const ValueId term : part.terms)
                follow(term, sum);
            const auto of_stage_alone = std::ranges::find_if(
                part.terms, [&](ValueId term) { return stages_of_norm(term) == std::vector{part.stage}; });
            if (of_stage_alone != part.terms.end()) // what follows its parameter is computed there
                part.parameter = parameter_of(*of_stage_alone);
        }
        result_.push_back(std::move(sum));
    }

    /// The operations between a parameter's norm and what is made of it, a square of a root of a sum; the last one is
    /// that of the parameter, or none.
    [[nodiscard]] std::vector<OperationId> way_to_parameter(ValueId norm) const {
        std::vector<OperationId> way{producer(norm)};
        while (way.back() && !graph_.operations[way.back()].parameter)
            way.push_back(graph_.operations[way.back()].operands.size() == 1
                              ? producer(graph_.operations[way.back()].operands.front())
                              : OperationId());
        return way;
    }

    [[nodiscard]] ValueId parameter_of(ValueId norm) const {
        const OperationId last = way_to_parameter(norm).back();
        return last ? graph_.operations[last].parameter : ValueId();
    }

    void follow(ValueId norm, StageSum &sum) const {
        std::vector<OperationId> way = way_to_parameter(norm);
        const OperationId last = way.back();
        way.pop_back();
        for (const OperationId o : way)
            if (last)
                sum.following.emplace_back(o, graph_.operations[last].parameter);
    }

    /// The stages that use the parameter of a norm.
    [[nodiscard]] std::vector<int> stages_of_norm(ValueId norm) const {
        const ValueId parameter = parameter_of(norm);
        return parameter ? variables_[parameter] : std::vector<int>{};
    }

    /// The first of them computes the norm; -1: unknown.
    [[nodiscard]] int stage_of_norm(ValueId norm) const {
        const std::vector<int> stages = stages_of_norm(norm);
        return stages.empty() ? -1 : stages.front();
    }

    const Graph &graph_;
    PerValue<std::vector<int>> variables_;
    StagedGraph staged_;
    PerValue<std::vector<OperationId>> users_;
    PerValue<int> uses_;
    std::vector<StageSum> result_;
};

class Application {
  public:
    explicit Application(const Graph &graph) : graph_(graph), rewriting_(graph) {}

    void apply(const StageSum &sum) {
        if (sum.parameter)
            apply_gradient(sum);
        else
            apply_norm(sum);
        rewriting_.leave_out_unused_sums(graph_.values[sum.whole].producer);
    }

    Graph finish() { return rewriting_.finish(); }

  private:
    /// Adds up values by operations like `model`.
    template <class Add> ValueId add_up(const std::vector<ValueId> &terms, OperationId model, Add add) {
        ValueId sum = terms.front();
        for (std::size_t i = 1; i < terms.size(); ++i)
            sum = add(rewriting_.like(model, {sum, terms[i]}));
        if (rewriting_.roles(sum).size() == rewriting_.roles(graph_.operations[model].results.front()).size())
            return sum;
        Operation broadcast = rewriting_.like(model, {sum}); // a term may lack dimensions of the sum
        broadcast.name = "identity";
        broadcast.flops_per_point = 0;
        return add(std::move(broadcast));
    }

    void apply_gradient(const StageSum &sum) {
        const OperationId model = graph_.values[sum.whole].producer;
        const OperationId place = sum.accumulates ? sum.accumulates : model;
        std::vector<ValueId> sums;
        for (const StageSum::Part &part : sum.parts) {
            const LayerId layer = graph_.operations[graph_.values[part.terms.front()].producer].layer;
            ValueId own = add_up(part.terms, model, [&](Operation add) {
                add.layer = layer;
                return rewriting_.add_behind(place, std::move(add));
            });
            if (sum.accumulates) {
                Operation accumulate = rewriting_.operation(sum.accumulates);
                accumulate.operands = {own};
                own = rewriting_.add_behind(place, std::move(accumulate), sum.accumulates);
            }
            sums.push_back(own);
        }
        const ValueId whole = sum.accumulates ? graph_.operations[sum.accumulates].results.front() : sum.whole;
        if (sum.accumulates)
            rewriting_.leave_out(sum.accumulates);
        if (!rewriting_.is_used(whole))
            return;
        rewriting_.replace(whole, add_up(sums, model, [&](Operation add) {
                               add.phase = Phase::update;
                               add.per_step = true;
                               add.parameter = sum.parameter;
                               return rewriting_.add_behind(place, std::move(add));
                           }));
    }

    void apply_norm(const StageSum &sum) {
        for (const auto &[operation, parameter] : sum.following)
            rewriting_.operation(operation).parameter = parameter;
        const OperationId model = graph_.values[sum.whole].producer;
        std::vector<ValueId> sums;
        for (const StageSum::Part &part : sum.parts)
            sums.push_back(add_up(part.terms, model, [&](Operation add) {
                add.parameter = part.parameter;
                return rewriting_.add_before(model, std::move(add));
            }));
        rewriting_.replace(sum.whole, add_up(sums, model, [&](Operation add) {
                               return rewriting_.add_before(model, std::move(add));
                           }));
    }

    const Graph &graph_;
    Rewriting rewriting_;
};

} // namespace

std::vector<StageSum> stage_sums(const Graph &graph, const LayerStages &layers) {
    return Finding(graph, layers).run();
}

Graph with_stage_sums(const Graph &graph, const std::vector<StageSum> &sums) {
    Application application(graph);
    for (const StageSum &sum : sums)
        application.apply(sum);
    return application.finish();
}

bool sums_statistics(const Graph &graph, const Operation &operation) {
    if (!operation.accumulates)
        return false;
    const OperationId producer = graph.values[operation.operands.front()].producer;
    if (!producer)
        return false;
    const Phase phase = graph.operations[producer].phase;
    return phase == Phase::forward || phase == Phase::recompute;
}

} // namespace planc::sharding
