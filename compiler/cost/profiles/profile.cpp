#include "cost/profiles/profile.h"

#include "cost/collectives/collectives.h"
#include "cost/kernels/compute.h"
#include "cost/profiles/cagnet_profile.h"
#include "cost/profiles/integrated_profile.h"
#include "cost/roles.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace planc::cost {

using sharding::LayerId;
using sharding::Phase;

namespace {

std::string whole(double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
    return buffer;
}

std::string product_words(const ProductSize &size) {
    return (size.count > 1 ? whole(size.count) + " of " : "") + "m = " + whole(size.m) + ", n = " + whole(size.n) +
           ", k = " + whole(size.k);
}

double all_reduce_seconds(Algorithm algorithm, const Group &group, double elements, double additions_per_second) {
    return all_reduce(algorithm, group, Bytes(4 * elements), elements, additions_per_second).seconds().value;
}

/// Uses the cheapest of the machine's algorithms for the size.
Algorithm cheapest(const Group &group, double elements, const Machine &machine) {
    const auto all = alternatives(machine.algorithms.allreduce, Bytes(4 * elements));
    return std::ranges::min(all, {},
                            [&](const AlgorithmRange &range) {
                                return all_reduce_seconds(range.algorithm, group, elements,
                                                          machine.reduction_flops_per_second);
                            })
        .algorithm;
}

ProfileTerm all_reduce_term(const std::string &what, Algorithm algorithm, const Group &group, double elements,
                            double additions_per_second) {
    constexpr double element_bytes = 4;
    const Price price = all_reduce(algorithm, group, Bytes(elements * element_bytes), elements, additions_per_second);
    ProfileTerm term;
    term.what = what;
    term.phase = Phase::weight_gradient;
    term.ranks = group.ranks;
    term.messages = price.messages;
    term.wire = price.wire;
    term.seconds = price.seconds();
    term.formula = std::string("all-reduce by ") + name(algorithm) + ", P = " + std::to_string(group.ranks) + ", " +
                   whole(elements) + " elements";
    return term;
}

} // namespace

const char *name(Profile profile) {
    switch (profile) {
    case Profile::exact:
        return "exact";
    case Profile::gholami18:
        return "gholami18";
    case Profile::slides21:
        return "slides21";
    case Profile::castello19:
        return "castello19";
    case Profile::cagnet20:
        return "cagnet20";
    }
    return "";
}

std::vector<std::string> assumptions(Profile profile) {
    const std::vector<std::string> integrated{
        "only communication; weights of products, no biases or norms; layers without weights move nothing",
        "windows need floor(k/2) rows of a neighbour, whatever their stride and padding",
        "splits of outputs, of one window's positions and of samples; lg P messages and (P-1)/P of the data over"
        " the outermost network",
        "in a search, every axis splits something in each layer"};
    std::vector<std::string> lines;
    switch (profile) {
    case Profile::exact:
        return lines;
    case Profile::gholami18:
        lines = integrated;
        lines.emplace_back(
            "gradients of inputs counted as large as the outputs; a redistribution of that size where an axis "
            "turns from samples to outputs");
        return lines;
    case Profile::slides21:
        lines = integrated;
        lines.emplace_back("gradients of inputs counted as large as the inputs; halos of both sides");
        return lines;
    case Profile::castello19:
        return {"only data parallelism: the batch over all axes, other layers whole",
                "only the computation of products, flops / min(mu I, gamma), I of the machine's blocks; convolutions "
                "by im2col",
                "gradients of all parameters, reduced layer by layer while the layers below compute theirs"};
    case Profile::cagnet20:
        return {"only communication, of each product with a sparse matrix and the weights beside it, taken as (a x) w",
                "1D: rows over all ranks; 1.5D: columns over c of them, where P/c^2 is whole; 2D: rows and features, a "
                "square; "
                "3D: all three, a cube",
                "a broadcast is one message, an all-reduce 2 lg P; over the outermost network",
                "slips of the code: a's blocks, which never change, travel in each pass, in 2D and 3D, with both "
                "indices as floats and their length apart; transposed blocks travel both ways; 3D reduces partial sums "
                "once a stage; the first layer's inputs get a gradient; a is taken as its own transpose"};
    }
    return lines;
}

Seconds ProfileLayer::compute() const {
    return std::accumulate(terms.begin(), terms.end(), Seconds(0), [](Seconds sum, const ProfileTerm &term) {
        return term.compute ? sum + term.seconds : sum;
    });
}

Seconds ProfileLayer::communication() const {
    return std::accumulate(terms.begin(), terms.end(), Seconds(0), [](Seconds sum, const ProfileTerm &term) {
        return term.compute ? sum : sum + term.seconds;
    });
}

Seconds ProfileLayer::phase(Phase phase, bool compute) const {
    return std::accumulate(terms.begin(), terms.end(), Seconds(0), [=](Seconds sum, const ProfileTerm &term) {
        return term.phase == phase && term.compute == compute ? sum + term.seconds : sum;
    });
}

ProfileModel::ProfileModel(Profile profile, const sharding::Graph &graph, const Machine &machine, std::string batch)
    : profile_(profile), graph_(graph), machine_(machine), batch_(std::move(batch)), products_(products(graph)),
      parameters_(parameter_elements(graph)) {
    if (profile == Profile::cagnet20) {
        products_.clear();
        sparse_layers_ = sparse_layers(graph);
    }
    const bool activations = profile == Profile::castello19; // their products count too
    sharding::PerLayer<bool> priced(graph.layers.size(), false);
    for (const Product &product : products_)
        priced[product.layer] = priced[product.layer] || activations || product.weights > 0;
    for (const SparseLayer &sparse : sparse_layers_)
        priced[sparse.layer] = true;
    for (const LayerId layer : graph.layers.ids())
        if (priced[layer] || (activations && parameters_[layer] > 0))
            layers_.push_back(layer);
    for (const LayerRoles &layer : cost::roles(graph))
        has_samples_.push_back(std::find(layer.loops.begin(), layer.loops.end(), batch_) != layer.loops.end());
}

ProfileModel::Axes ProfileModel::axes(std::size_t index, const sharding::LayerStrategy &strategy,
                                      const sharding::Mesh &mesh) const {
    Axes result;
    for (const Product &product : products_) {
        if (product.layer != layers_[index] || product.weights == 0)
            continue;
        const ProductSplit split = cost::split(product, graph_, strategy, mesh);
        result.outputs |= split.output_axes;
        result.others |= split.other_axes;
    }
    for (const SparseLayer &sparse : sparse_layers_)
        if (sparse.layer == layers_[index])
            result.others |= cost::split(sparse, graph_, strategy, mesh).axes;
    return result;
}

void ProfileModel::price_data_parallel(LayerId layer, const sharding::LayerStrategy &strategy,
                                       const sharding::Mesh &mesh, ProfileLayer &row) const {
    std::vector<int> axes;
    for (int axis = 0; axis < static_cast<int>(mesh.sizes.size()); ++axis)
        if (mesh.sizes[axis] > 1)
            axes.push_back(axis);
    for (int axis : axes)
        if (has_samples_[layer] && strategy.loop_of_axis[axis] != batch_)
            row.unsupported = "is not split over '" + batch_ + "' alone";
    if (!row.unsupported.empty())
        return;
    for (const Product &product : products_) {
        if (product.layer != layer)
            continue;
        const sharding::Nest &nest = graph_.operations[product.operation].nest;
        const ProductSize forward = size(product, local_extents(nest, sharding::bind(strategy, nest, mesh), mesh));
        const auto add = [&](const char *what, Phase phase, const ProductSize &size) {
            ProfileTerm &term = row.terms.emplace_back();
            term.what = what;
            term.phase = phase;
            term.compute = true;
            term.seconds = size.count * product_seconds(size.m, size.n, size.k, product.element_bytes, machine_);
            term.formula = "2mnk / min(mu I, gamma), " + product_words(size);
        };
        add("product", Phase::forward, forward);
        if (product.input_gradient)
            add("product", Phase::input_gradient, {forward.count, forward.k, forward.n, forward.m});
        const Phase other = product.weights > 0 ? Phase::weight_gradient : Phase::input_gradient;
        add("product", other, {forward.count, forward.m, forward.k, forward.n});
    }
    if (row.parameters > 0 && mesh.ranks() > 1) {
        const Group all = group(axes, mesh.sizes, machine_);
        row.terms.push_back(all_reduce_term("all-reduce of gradients", cheapest(all, row.parameters, machine_), all,
                                            row.parameters, machine_.reduction_flops_per_second));
    }
}

ProfileLayer ProfileModel::price(std::size_t index, const sharding::LayerStrategy &strategy, const sharding::Mesh &mesh,
                                 bool gathered) const {
    ProfileLayer row;
    row.layer = layers_[index];
    if (profile_ == Profile::castello19) {
        row.parameters = parameters_[row.layer];
        price_data_parallel(row.layer, strategy, mesh, row);
        return row;
    }
    for (const Product &product : products_) {
        if (product.layer != row.layer || product.weights == 0)
            continue;
        row.parameters += product.weights;
        const ProductSplit here = split(product, graph_, strategy, mesh);
        if (!here.unsupported.empty())
            row.unsupported = here.unsupported;
        for (ProfileTerm &term : integrated_terms(profile_, product, here, gathered, machine_.network()))
            row.terms.push_back(std::move(term));
    }
    for (const SparseLayer &sparse : sparse_layers_) {
        if (sparse.layer != row.layer)
            continue;
        row.parameters += sparse.weights;
        const SparseSplit here = cost::split(sparse, graph_, strategy, mesh);
        if (!here.unsupported.empty())
            row.unsupported = here.unsupported;
        for (ProfileTerm &term : cagnet_terms(sparse, here, machine_.network()))
            row.terms.push_back(std::move(term));
    }
    return row;
}

/// Castello et al.: all gradients in one all-reduce, after the backward pass.
void ProfileModel::add_fused(ProfileTable &table) const {
    if (table.mesh.ranks() == 1)
        return;
    double elements = 0;
    for (const ProfileLayer &row : table.layers)
        elements += row.parameters;
    std::vector<int> axes(table.mesh.sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    const Group all = group(axes, table.mesh.sizes, machine_);
    for (Algorithm algorithm : {Algorithm::mst, Algorithm::ring})
        table.variants.push_back(all_reduce_term(std::string("all gradients in one all-reduce by ") +
                                                     (algorithm == Algorithm::ring ? "bucket" : name(algorithm)),
                                                 algorithm, all, elements, machine_.reduction_flops_per_second));
}

ProfileTable ProfileModel::table(const sharding::LayerStrategies &layers, const sharding::Mesh &mesh,
                                 const std::vector<std::string> &axes) const {
    ProfileTable table;
    table.profile = profile_;
    table.axes = axes;
    table.mesh = mesh;
    Axes before;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const Axes here = this->axes(i, layers[layers_[i]], mesh);
        table.layers.push_back(price(i, layers[layers_[i]], mesh, gathers(before, here)));
        before = here;
        table.compute += table.layers.back().compute();
        table.communication += table.layers.back().communication();
    }
    table.step = table.compute + table.communication;
    if (profile_ == Profile::cagnet20 && mesh.ranks() > 1)
        table.variants = cagnet_slides(sparse_layers_, mesh.ranks(), machine_.network());
    if (profile_ != Profile::castello19)
        return table;
    add_fused(table);
    // A layer's all-reduce runs while the layers below compute their gradients, one all-reduce at a time.
    Seconds computed{};
    for (const ProfileLayer &row : table.layers)
        computed += row.phase(Phase::forward, true);
    Seconds reduced = computed;
    for (std::size_t i = table.layers.size(); i-- > 0;) {
        const ProfileLayer &row = table.layers[i];
        computed += row.compute() - row.phase(Phase::forward, true);
        reduced = std::max(computed, reduced) + row.communication();
    }
    table.step = std::max(computed, reduced);
    return table;
}

} // namespace planc::cost
