#include "cost/profiles/integrated_profile.h"

#include "cost/profiles/profile_terms.h"

namespace planc::cost {

using sharding::Phase;

namespace {

void add_model(Profile profile, const Product &product, const ProductSplit &split, bool gathered, ProfileTerms &terms) {
    const double samples = static_cast<double>(split.samples);
    const double part = share_of_others(split.outputs) / samples;
    const std::string with = "Pr = " + std::to_string(split.outputs) + ", Pc = " + std::to_string(split.samples);
    const std::string outputs = ", B d = " + formula_number(product.outputs);
    const std::string once = "lg Pr alpha + (Pr-1)/Pr B/Pc d beta, " + with;
    const std::string twice = "2(lg Pr alpha + (Pr-1)/Pr B/Pc d beta), " + with;
    if (profile == Profile::gholami18 && gathered)
        terms.add("redistribution of the inputs", Phase::forward, split.outputs, lg(split.outputs),
                  part * product.outputs, once + outputs);
    terms.add("all-gather of outputs", Phase::forward, split.outputs, lg(split.outputs), part * product.outputs,
              once + outputs);
    if (!product.input_gradient)
        return;
    const double reduced = profile == Profile::gholami18 ? product.outputs : product.inputs;
    terms.add("all-reduce of input gradients", Phase::input_gradient, split.outputs, 2 * lg(split.outputs),
              2 * part * reduced, twice + ", B d = " + formula_number(reduced));
}

/// Rows that windows of other ranks touch.
void add_halos(Profile profile, const Product &product, const ProductSplit &split, ProfileTerms &terms) {
    const std::int64_t rows = split.window->kernel / 2;
    if (rows == 0)
        return;
    const double sides = profile == Profile::gholami18 ? 1 : 2;
    const double samples = static_cast<double>(split.samples);
    const auto add = [&](const char *what, Phase phase, double elements, std::int64_t extent) {
        const double row = elements / static_cast<double>(extent) / samples;
        terms.add(what, phase, split.rows, sides, sides * static_cast<double>(rows) * row,
                  (sides > 1 ? "2(alpha + floor(k/2) B/Pc row beta)" : "alpha + floor(k/2) B/Pc row beta") +
                      std::string(", k = ") + std::to_string(split.window->kernel) +
                      ", B/Pc row = " + formula_number(row));
    };
    add("halo of inputs", Phase::forward, product.inputs, split.window->extent);
    if (profile == Profile::gholami18 || product.input_gradient)
        add("halo of output gradients", Phase::input_gradient, product.outputs, split.window->positions);
}

} // namespace

ProductSplit split(const Product &product, const sharding::Graph &graph, const sharding::LayerStrategy &strategy,
                   const sharding::Mesh &mesh) {
    ProductSplit result;
    const sharding::Nest &nest = graph.operations[product.operation].nest;
    const sharding::Strategy bound = sharding::bind(strategy, nest, mesh);
    int row_loop = -1;
    for (std::size_t axis = 0; axis < bound.loop_of_axis.size(); ++axis) {
        const int loop = bound.loop_of_axis[axis];
        const int ranks = mesh.sizes[axis];
        if (loop < 0 || ranks == 1)
            continue;
        const std::uint64_t bit = std::uint64_t{1} << axis;
        switch (product.loops[loop]) {
        case ProductLoop::samples:
            result.samples *= ranks;
            result.other_axes |= bit;
            break;
        case ProductLoop::outputs:
            result.outputs *= ranks;
            result.output_axes |= bit;
            break;
        case ProductLoop::window:
            if (row_loop >= 0 && row_loop != loop)
                result.unsupported = "splits two dimensions of its windows";
            row_loop = loop;
            result.rows *= ranks;
            result.other_axes |= bit;
            break;
        case ProductLoop::inputs:
            result.unsupported = "splits the inputs of its weights";
            break;
        case ProductLoop::group:
            result.unsupported = "splits its groups";
            break;
        }
    }
    for (const ProductWindow &window : product.windows)
        if (window.loop == row_loop)
            result.window = &window;
    if (result.outputs > 1 && result.rows > 1)
        result.unsupported = "splits both its outputs and its windows";
    return result;
}

std::vector<ProfileTerm> integrated_terms(Profile profile, const Product &product, const ProductSplit &split,
                                          bool gathered, const Link &network) {
    ProfileTerms terms(product.element_bytes, network);
    if (split.outputs > 1)
        add_model(profile, product, split, gathered, terms);
    if (split.rows > 1)
        add_halos(profile, product, split, terms);
    const std::int64_t ranks = split.samples * split.rows;
    if (ranks > 1) {
        const double weights = product.weights / static_cast<double>(split.outputs);
        terms.add("all-reduce of weight gradients", Phase::weight_gradient, ranks, 2 * lg(ranks),
                  2 * share_of_others(ranks) * weights,
                  "2(lg P alpha + (P-1)/P |W| beta), P = " + std::to_string(ranks) +
                      ", |W| = " + formula_number(weights));
    }
    return terms.take();
}

} // namespace planc::cost
