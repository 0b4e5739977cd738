#include "sharding/convolutions.h"

namespace planc::sharding::graphs {

namespace {

/// Loops by what they are; -1 stands for none.
struct Loops {
    int batch = 0;
    int in = 1;
    int out = 2;
    std::vector<int> places; ///< per spatial dimension
    std::vector<int> kernels;

    [[nodiscard]] std::vector<int> image(int channel) const {
        std::vector<int> result{batch};
        result.insert(result.end(), places.begin(), places.end());
        result.push_back(channel);
        return result;
    }
    [[nodiscard]] std::vector<int> weights() const {
        std::vector<int> result = kernels;
        result.insert(result.end(), {in, out});
        return result;
    }
};

} // namespace

Nest convolution_nest(const Convolution &convolution, ConvolutionKind kind) {
    const bool backward = kind == ConvolutionKind::input_gradient;
    const bool weights = kind == ConvolutionKind::weight_gradient;
    const auto loop_kind = [](bool reduced) { return reduced ? LoopKind::reduced : LoopKind::parallel; };
    Nest nest;
    nest.loops = {{"batch", convolution.batch, loop_kind(weights)},
                  {"in", convolution.in, loop_kind(kind == ConvolutionKind::forward)},
                  {"out", convolution.out, loop_kind(backward)}};
    Loops loops;
    for (std::size_t s = 0; s < convolution.spatial.size(); ++s) {
        const Spatial &spatial = convolution.spatial[s];
        loops.places.push_back(static_cast<int>(nest.loops.size()));
        nest.loops.push_back({spatial.role, backward ? spatial.extent : spatial.positions(), loop_kind(weights)});
        loops.kernels.push_back(static_cast<int>(nest.loops.size()));
        nest.loops.push_back({spatial.role + " kernel", spatial.kernel, LoopKind::whole});
        nest.windows.push_back({0, static_cast<int>(s) + 1, loops.kernels.back(),
                                backward ? spatial.positions() : spatial.extent, spatial.stride, spatial.dilation,
                                spatial.before, backward});
    }
    nest.operands = {loops.image(backward ? loops.out : loops.in), weights ? loops.image(loops.out) : loops.weights()};
    nest.results = {weights ? loops.weights() : loops.image(backward ? loops.in : loops.out)};
    return nest;
}

ValueId add_convolution(Builder &builder, LayerId layer, const Convolution &convolution, ConvolutionKind kind,
                        ValueId first, ValueId second) {
    static constexpr Phase phases[] = {Phase::forward, Phase::input_gradient, Phase::weight_gradient};
    Operation operation;
    operation.name = "convolution";
    operation.layer = layer;
    operation.phase = phases[static_cast<int>(kind)];
    operation.kernel = Kernel::contraction;
    operation.flops_per_point = 2;
    operation.nest = convolution_nest(convolution, kind);
    operation.operands = {first, second};
    std::vector<Dimension> dimensions;
    for (int loop : operation.nest.results[0])
        dimensions.push_back({operation.nest.loops[loop].name, operation.nest.loops[loop].extent});
    const ValueId result = builder.value(operation.name, ValueKind::computed, layer, dimensions);
    operation.results = {result};
    builder.graph.values[result].producer = builder.graph.operations.push_back(std::move(operation));
    return result;
}

namespace {

ValueId square(Builder &builder, LayerId layer, Phase phase, ValueId value) {
    Builder::Spec spec;
    spec.layer = layer;
    spec.phase = phase;
    return builder.operation(spec, {builder.plain(value), builder.plain(value)}, builder.graph.values[value].roles,
                             "square");
}

} // namespace

Graph convolutional_step(const std::vector<Convolution> &chain) {
    Builder builder;
    std::vector<LayerId> layers;
    std::vector<ValueId> inputs;
    std::vector<ValueId> weights;
    ValueId x;
    for (std::size_t l = 0; l < chain.size(); ++l) {
        const LayerId layer = layers.emplace_back(builder.layer("conv" + std::to_string(l + 1)));
        std::vector<Dimension> image{{"batch", chain[l].batch}};
        std::vector<Dimension> kernels;
        for (const Spatial &spatial : chain[l].spatial) {
            image.push_back({spatial.role, spatial.extent});
            kernels.push_back({spatial.role + " kernel", spatial.kernel});
        }
        image.push_back({"in", chain[l].in});
        kernels.insert(kernels.end(), {{"in", chain[l].in}, {"out", chain[l].out}});
        inputs.push_back(l == 0 ? builder.value("x", ValueKind::free, layer, image) : x);
        weights.push_back(builder.value("w", ValueKind::variable, layer, kernels));
        x = add_convolution(builder, layer, chain[l], ConvolutionKind::forward, inputs.back(), weights.back());
        x = square(builder, layer, Phase::forward, x);
    }
    const LayerId last = layers.back();
    builder.graph.outputs.push_back(
        builder.operation({"sum", last, Phase::loss, Kernel::reduction, true}, {builder.plain(x)}, {}, "loss"));
    ValueId gradient = square(builder, last, Phase::loss, x);
    for (std::size_t l = chain.size(); l-- > 0;) {
        const ValueId changed =
            add_convolution(builder, layers[l], chain[l], ConvolutionKind::weight_gradient, inputs[l], gradient);
        builder.update("sgd", layers[l], weights[l], {weights[l], changed}, {weights[l]});
        if (l > 0)
            gradient =
                add_convolution(builder, layers[l], chain[l], ConvolutionKind::input_gradient, gradient, weights[l]);
    }
    return std::move(builder.graph);
}

} // namespace planc::sharding::graphs
