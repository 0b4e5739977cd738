#include "sharding/graphs.h"

#include <algorithm>

namespace planc::sharding::graphs {

LayerId Builder::layer(const std::string &name) {
    return graph.layers.push_back({name});
}

ValueId Builder::value(const std::string &name, ValueKind kind, LayerId layer,
                       const std::vector<Dimension> &dimensions) {
    Value value;
    value.name = name;
    value.kind = kind;
    value.layer = layer;
    for (const Dimension &dimension : dimensions) {
        value.roles.push_back(dimension.role);
        value.extents.push_back(dimension.extent);
    }
    return graph.values.push_back(std::move(value));
}

Operand Builder::plain(ValueId value) const {
    return {value, graph.values[value].roles};
}

std::int64_t Builder::extent_of(const Spec &spec, const std::vector<Operand> &operands, const std::string &loop) const {
    if (spec.sparse && spec.sparse->rows.role == loop)
        return spec.sparse->rows.extent;
    for (const Operand &operand : operands)
        for (std::size_t d = 0; d < operand.loops.size(); ++d)
            if (operand.loops[d] == loop)
                return graph.values[operand.value].extents[d];
    return 1;
}

ValueId Builder::operation(const Spec &spec, const std::vector<Operand> &operands,
                           const std::vector<std::string> &result, const std::string &result_name) {
    Operation operation;
    operation.name = spec.name;
    operation.layer = spec.layer;
    operation.phase = spec.phase;
    operation.kernel = spec.kernel;
    operation.flops_per_point = spec.kernel == Kernel::contraction ? 2 : 1;
    Nest &nest = operation.nest;
    nest.linear = spec.linear;
    nest.reduction = spec.reduction;
    const auto loop = [&](const std::string &name) {
        for (std::size_t l = 0; l < nest.loops.size(); ++l)
            if (nest.loops[l].name == name)
                return static_cast<int>(l);
        const bool kept = std::find(result.begin(), result.end(), name) != result.end();
        nest.loops.push_back({name, extent_of(spec, operands, name), kept ? LoopKind::parallel : LoopKind::reduced});
        return static_cast<int>(nest.loops.size()) - 1;
    };
    for (const Operand &operand : operands) {
        operation.operands.push_back(operand.value);
        std::vector<int> &loops = nest.operands.emplace_back();
        for (const std::string &name : operand.loops)
            loops.push_back(loop(name));
    }
    std::vector<Dimension> dimensions;
    nest.results.emplace_back();
    for (const std::string &name : result) {
        nest.results[0].push_back(loop(name));
        dimensions.push_back({name, extent_of(spec, operands, name)});
    }
    if (const auto &sparse = spec.sparse)
        nest.sparse =
            SparseLoops{loop(sparse->rows.role), loop(sparse->columns), sparse->density,
                        sparse->matrix,          sparse->lists_rows,    sparse->lists_rows && sparse->matrix < 0};
    const ValueId into = value(result_name, ValueKind::computed, spec.layer, dimensions);
    operation.results = {into};
    graph.values[into].producer = graph.operations.push_back(std::move(operation));
    return into;
}

std::vector<ValueId> Builder::update(const std::string &name, LayerId layer, ValueId parameter,
                                     const std::vector<ValueId> &operands, const std::vector<ValueId> &writes) {
    std::vector<Operand> plain_operands;
    for (const ValueId operand : operands)
        plain_operands.push_back(plain(operand));
    const Spec spec{name, layer, Phase::update, Kernel::pointwise, false, Reduction::sum};
    const Value first = graph.values[writes[0]];
    std::vector<ValueId> results = {operation(spec, plain_operands, first.roles, "new " + first.name)};
    Operation &operation = graph.operations.back();
    operation.parameter = parameter;
    for (std::size_t i = 1; i < writes.size(); ++i) {
        Value result = graph.values[writes[i]];
        result.name = "new " + result.name;
        result.kind = ValueKind::computed;
        result.producer = graph.values[results[0]].producer;
        results.push_back(graph.values.push_back(std::move(result)));
        operation.nest.results.push_back(operation.nest.results[0]);
    }
    operation.results = results;
    operation.writes = writes;
    return results;
}

namespace {

class MlpBuilder {
  public:
    explicit MlpBuilder(const Mlp &mlp) : mlp_(mlp), layers_(mlp.widths.size() - 1) {}

    Graph build() {
        for (std::size_t l = 1; l <= layers_; ++l)
            b_.layer("fc" + std::to_string(l));
        loss_ = b_.layer("loss");
        const ValueId input =
            b_.value("input", ValueKind::free, LayerId(0), {{"batch", mlp_.batch}, {mlp_.roles[0], mlp_.widths[0]}});
        outputs_.push_back(input);
        for (std::size_t l = 0; l < layers_; ++l)
            forward(l);
        ValueId gradient = loss();
        for (std::size_t l = layers_; l-- > 0;)
            gradient = backward(l, gradient);
        for (std::size_t l = 0; l < layers_; ++l)
            update(l);
        return std::move(b_.graph);
    }

  private:
    [[nodiscard]] std::string name(std::size_t l) const { return b_.graph.layers[LayerId(l)].name; }
    [[nodiscard]] std::string out(std::size_t l) const { return mlp_.roles[l + 1]; }
    [[nodiscard]] std::string in(std::size_t l) const {
        return mlp_.roles[l] == out(l) ? mlp_.roles[l] + "'" : mlp_.roles[l];
    }

    void forward(std::size_t l) {
        const LayerId layer(l);
        weights_.push_back(b_.value(name(l) + ".w", ValueKind::variable, layer,
                                    {{in(l), mlp_.widths[l]}, {out(l), mlp_.widths[l + 1]}}));
        ValueId y = b_.operation({"einsum", layer, Phase::forward, Kernel::contraction, false, Reduction::sum},
                                 {{outputs_[l], {"batch", in(l)}}, b_.plain(weights_[l])}, {"batch", out(l)},
                                 name(l) + " product");
        if (mlp_.bias) {
            biases_.push_back(b_.value(name(l) + ".b", ValueKind::variable, layer, {{out(l), mlp_.widths[l + 1]}}));
            y = b_.operation({"add", layer, Phase::forward, Kernel::pointwise, true, Reduction::sum},
                             {b_.plain(y), b_.plain(biases_[l])}, {"batch", out(l)}, name(l) + " sum");
        }
        if (l + 1 < layers_)
            y = b_.operation({"relu", layer, Phase::forward, Kernel::pointwise, false, Reduction::sum}, {b_.plain(y)},
                             {"batch", out(l)}, name(l));
        outputs_.push_back(y);
    }

    ValueId loss() {
        const std::vector<std::string> both = {"batch", mlp_.roles.back()};
        const ValueId target =
            b_.value("target", ValueKind::free, loss_, {{both[0], mlp_.batch}, {both[1], mlp_.widths.back()}});
        const auto pointwise = [this](const std::string &what, Phase phase, bool linear) {
            return Builder::Spec{what, loss_, phase, Kernel::pointwise, linear, Reduction::sum};
        };
        const ValueId difference = b_.operation(pointwise("sub", Phase::loss, true),
                                                {b_.plain(outputs_.back()), b_.plain(target)}, both, "difference");
        const ValueId square =
            b_.operation(pointwise("square", Phase::loss, false), {b_.plain(difference)}, both, "square");
        const ValueId sum = b_.operation({"sum", loss_, Phase::loss, Kernel::reduction, true, Reduction::sum},
                                         {b_.plain(square)}, {}, "sum of squares");
        b_.graph.outputs.push_back(b_.operation(pointwise("scale", Phase::loss, true), {b_.plain(sum)}, {}, "loss"));
        return b_.operation(pointwise("scale", Phase::input_gradient, true), {b_.plain(difference)}, both,
                            "gradient of prediction");
    }

    ValueId backward(std::size_t l, ValueId gradient) {
        const LayerId layer(l);
        const std::vector<std::string> loops = {"batch", out(l)};
        if (l + 1 < layers_)
            gradient =
                b_.operation({"relu gradient", layer, Phase::input_gradient, Kernel::pointwise, false, Reduction::sum},
                             {{gradient, loops}, {outputs_[l + 1], loops}}, loops, "gradient of " + name(l));
        weight_gradients_.insert(
            weight_gradients_.begin(),
            b_.operation({"einsum", layer, Phase::weight_gradient, Kernel::contraction, false, Reduction::sum},
                         {{outputs_[l], {"batch", in(l)}}, {gradient, loops}}, {in(l), out(l)},
                         "gradient of " + name(l) + ".w"));
        if (mlp_.bias)
            bias_gradients_.insert(
                bias_gradients_.begin(),
                b_.operation({"sum", layer, Phase::weight_gradient, Kernel::reduction, true, Reduction::sum},
                             {{gradient, loops}}, {out(l)}, "gradient of " + name(l) + ".b"));
        if (l == 0)
            return {};
        return b_.operation({"einsum", layer, Phase::input_gradient, Kernel::contraction, false, Reduction::sum},
                            {{gradient, loops}, b_.plain(weights_[l])}, {"batch", in(l)},
                            "gradient of " + name(l) + "'s input");
    }

    void update(std::size_t l) {
        update(l, weights_[l], weight_gradients_[l]);
        if (mlp_.bias)
            update(l, biases_[l], bias_gradients_[l]);
    }

    void update(std::size_t l, ValueId variable, ValueId gradient) {
        std::vector<ValueId> operands = {variable, gradient};
        std::vector<ValueId> writes = {variable};
        if (mlp_.momentum) {
            Value momentum = b_.graph.values[variable];
            momentum.name += ".momentum";
            operands.push_back(b_.graph.values.push_back(std::move(momentum)));
            writes.push_back(operands.back());
        }
        b_.update("sgd", LayerId(l), variable, operands, writes);
    }

    const Mlp &mlp_;
    std::size_t layers_;
    Builder b_;
    LayerId loss_;
    std::vector<ValueId> outputs_; ///< [l]: what layer l reads
    std::vector<ValueId> weights_, biases_, weight_gradients_, bias_gradients_;
};

} // namespace

Graph training_step(const Mlp &mlp) {
    return MlpBuilder(mlp).build();
}

LayerStrategies everywhere(const Graph &graph, const std::vector<std::string> &loop_of_axis) {
    return LayerStrategies(graph.layers.size(), {loop_of_axis, {}});
}

} // namespace planc::sharding::graphs
