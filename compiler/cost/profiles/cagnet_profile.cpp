#include "cost/profiles/cagnet_profile.h"

#include "cost/profiles/profile_terms.h"

#include <cmath>

namespace planc::cost {

using sharding::Phase;

namespace {

/// The terms of one layer, by scheme.
class Terms {
  public:
    Terms(const SparseLayer &layer, const Link &network)
        : terms_(layer.element_bytes, network), n_(layer.vertices), nonzeros_(layer.nonzeros), before_(layer.before),
          behind_(layer.behind), weights_(layer.weights) {}

    void one_dimension(std::int64_t ranks);
    void one_and_a_half(std::int64_t rows, std::int64_t copies);
    void two_dimensions(std::int64_t side);
    void three_dimensions(std::int64_t side);
    [[nodiscard]] std::vector<ProfileTerm> take() { return terms_.take(); }

  private:
    void add(const std::string &what, Phase phase, std::int64_t ranks, double messages, double words,
             const std::string &formula) {
        const auto size = [](const char *name, double value) { return name + formula_number(value); };
        terms_.add(what, phase, ranks, messages, words,
                   formula + size(", n = ", n_) + size(", f- = ", before_) + size(", f = ", behind_));
    }
    void all_reduce(const std::string &what, Phase phase, std::int64_t ranks, double times, double words,
                    const std::string &formula, const std::string &with = "") {
        if (ranks > 1 && words > 0)
            add(what, phase, ranks, times * 2 * lg(ranks), times * 2 * share_of_others(ranks) * words,
                (times > 1 ? "q 2(lg p alpha + (p-1)/p " : "2(lg p alpha + (p-1)/p ") + formula +
                    " beta), p = " + std::to_string(ranks) + with);
    }
    /// A stage sends the length of a block, then its indices and values: 3 words a nonzero.
    void stages_of_matrix(Phase phase, std::int64_t side, double words, const std::string &formula) {
        const auto stages = static_cast<double>(side);
        add("broadcasts of a's blocks", phase, side, 2 * stages, words + stages,
            "2q alpha + (" + formula + " + q) beta, q = " + std::to_string(side) +
                ", nnz = " + formula_number(nonzeros_));
    }
    void stages(const std::string &what, Phase phase, std::int64_t side, double words, const std::string &formula) {
        add(what, phase, side, static_cast<double>(side), words,
            "q alpha + " + formula + " beta, q = " + std::to_string(side));
    }

    ProfileTerms terms_;
    double n_;
    double nonzeros_;
    double before_;
    double behind_;
    double weights_;
};

void Terms::one_dimension(std::int64_t ranks) {
    const auto broadcasts = [&](const char *what, Phase phase, double width, const std::string &formula) {
        add(what, phase, ranks, static_cast<double>(ranks), n_ * width,
            "P alpha + " + formula + " beta, P = " + std::to_string(ranks));
    };
    broadcasts("broadcasts of x's rows", Phase::forward, before_, "n f-");
    broadcasts("broadcasts of the gradient's rows", Phase::input_gradient, behind_, "n f");
    all_reduce("all-reduce of weight gradients", Phase::weight_gradient, ranks, 1, weights_, "f- f");
}

void Terms::one_and_a_half(std::int64_t rows, std::int64_t copies) {
    const auto c = static_cast<double>(copies);
    const std::int64_t ranks = rows * copies;
    const auto pass = [&](const char *what, Phase phase, double width, const std::string &name) {
        const std::string with = ", P = " + std::to_string(ranks) + ", c = " + std::to_string(copies);
        add(what, phase, rows, static_cast<double>(ranks) / (c * c), n_ / c * width,
            "P/c^2 alpha + n/c " + name + " beta" + with);
        all_reduce("all-reduce of partial sums", phase, copies, 1, n_ / static_cast<double>(rows) * width,
                   "n c/P " + name, with);
    };
    pass("broadcasts of x's rows", Phase::forward, before_, "f-");
    pass("broadcasts of the gradient's rows", Phase::input_gradient, behind_, "f");
    all_reduce("all-reduce of weight gradients", Phase::weight_gradient, rows, 1, weights_, "f- f");
}

void Terms::two_dimensions(std::int64_t side) {
    const auto q = static_cast<double>(side);
    const std::int64_t ranks = side * side;
    const auto pass = [&](const std::string &of, Phase phase, double width, const std::string &name) {
        stages_of_matrix(phase, side, 3 * nonzeros_ / q, "3 nnz/q");
        stages("broadcasts of " + of, phase, side, n_ * width / q, "n " + name + "/q");
        if (weights_ > 0)
            stages("broadcasts of a times " + of, phase, side, n_ * width / q, "n " + name + "/q");
    };
    pass("x", Phase::forward, before_, "f-");
    pass("the gradient", Phase::input_gradient, behind_, "f");
    if (weights_ == 0)
        return;
    add("exchange of x transposed", Phase::weight_gradient, 2, 2, 2 * n_ * before_ / static_cast<double>(ranks),
        "2 alpha + 2n f-/P beta, P = " + std::to_string(ranks));
    add("broadcasts of x and the gradient", Phase::weight_gradient, side, 2 * q, n_ * (before_ + behind_) / q,
        "2q alpha + n (f- + f)/q beta, q = " + std::to_string(side));
    add("all-gather of weight gradients", Phase::weight_gradient, ranks, lg(ranks), weights_,
        "lg P alpha + f- f beta, P = " + std::to_string(ranks));
}

void Terms::three_dimensions(std::int64_t side) {
    const auto q = static_cast<double>(side);
    const double face = q * q;
    const std::int64_t ranks = side * side * side;
    const std::string with = ", q = " + std::to_string(side);
    const auto pass = [&](const std::string &of, Phase phase, double width, const std::string &name, double other,
                          const std::string &other_name) {
        stages_of_matrix(phase, side, 3 * nonzeros_ / face, "3 nnz/q^2");
        stages("broadcasts of " + of, phase, side, n_ * width / face, "n " + name + "/q^2");
        all_reduce("all-reduce of partial sums", phase, side, 1, n_ * width / face, "n " + name + "/q^2", with);
        if (weights_ == 0)
            return;
        add("all-gather of lengths", phase, side, lg(side), face, "lg q alpha + q^2 beta, q = " + std::to_string(side));
        stages("broadcasts of a times " + of, phase, side, n_ * width / face, "n " + name + "/q^2");
        all_reduce("all-reduces of partial sums, one a stage", phase, side, q, n_ * other / face,
                   "n " + other_name + "/q^2", with);
    };
    pass("x", Phase::forward, before_, "f-", behind_, "f");
    pass("the gradient", Phase::input_gradient, behind_, "f", before_, "f-");
    if (weights_ == 0)
        return;
    add("exchange of the gradient transposed", Phase::weight_gradient, side, lg(side) + 2, 3 * n_ * behind_ / face,
        "(lg q + 2) alpha + 3n f/q^2 beta, q = " + std::to_string(side));
    add("broadcasts of x and the gradient", Phase::weight_gradient, side, 2 * q, n_ * (before_ + behind_) / face,
        "2q alpha + n (f- + f)/q^2 beta, q = " + std::to_string(side));
    all_reduce("all-reduce of partial weight gradients", Phase::weight_gradient, side, 1, weights_ / face, "f- f/q^2");
    add("all-gather of weight gradients", Phase::weight_gradient, ranks, lg(ranks), weights_,
        "lg P alpha + f- f beta, P = " + std::to_string(ranks));
}

} // namespace

SparseSplit split(const SparseLayer &layer, const sharding::Graph &graph, const sharding::LayerStrategy &strategy,
                  const sharding::Mesh &mesh) {
    SparseSplit result;
    const sharding::Nest &nest = graph.operations[layer.operation].nest;
    const sharding::Strategy bound = sharding::bind(strategy, nest, mesh);
    for (std::size_t axis = 0; axis < bound.loop_of_axis.size(); ++axis) {
        const int loop = bound.loop_of_axis[axis];
        if (loop < 0 || mesh.sizes[axis] == 1)
            continue;
        result.axes |= std::uint64_t{1} << axis;
        (loop == nest.sparse->outer   ? result.rows
         : loop == nest.sparse->inner ? result.columns
                                      : result.features) *= mesh.sizes[axis];
    }
    const auto &[rows, columns, features, axes, unsupported] = result;
    if (layer.attends)
        result.unsupported = "computes the weights of its matrix's entries";
    else if (rows * columns * features != mesh.ranks())
        result.unsupported = "does not use all ranks";
    else if (features == 1 && rows % columns != 0)
        result.unsupported =
            "splits the columns of its matrix over a number of ranks that does not divide that of the rows";
    else if (features > 1 && (rows != features || (columns > 1 && columns != rows)))
        result.unsupported = "splits its features, but not rows over as many ranks, and columns over as many or none";
    return result;
}

std::vector<ProfileTerm> cagnet_terms(const SparseLayer &layer, const SparseSplit &split, const Link &network) {
    Terms terms(layer, network);
    if (!split.unsupported.empty() || split.rows == 1)
        return {};
    if (split.features == 1 && split.columns == 1)
        terms.one_dimension(split.rows);
    else if (split.features == 1)
        terms.one_and_a_half(split.rows, split.columns);
    else if (split.columns == 1)
        terms.two_dimensions(split.rows);
    else
        terms.three_dimensions(split.rows);
    return terms.take();
}

std::vector<ProfileTerm> cagnet_slides(const std::vector<SparseLayer> &layers, std::int64_t ranks,
                                       const Link &network) {
    const auto p = static_cast<double>(ranks);
    std::vector<ProfileTerm> result;
    const auto add = [&](const char *scheme, double messages, const auto &words, const std::string &formula) {
        ProfileTerm &term = result.emplace_back();
        term.what = std::string("by the slides' table, ") + scheme;
        term.ranks = ranks;
        for (const SparseLayer &layer : layers) {
            term.messages += messages;
            term.wire += Bytes(words(layer) * layer.element_bytes);
        }
        term.seconds = term.messages * network.latency + Seconds(term.wire.value / network.bytes_per_second);
        term.formula = formula + " a layer, P = " + std::to_string(ranks) + ", 2f = f- + f";
    };
    const auto nf = [](const SparseLayer &layer) { return layer.vertices * (layer.before + layer.behind) / 2; };
    add(
        "1D", lg(ranks) + 2 * p, [&](const SparseLayer &layer) { return 2 * nf(layer) + layer.before * layer.behind; },
        "(lg P + 2P) alpha + (2nf + f^2) beta");
    std::int64_t copies = 1;
    for (std::int64_t c = 2; c * c <= ranks; ++c)
        if (ranks % (c * c) == 0)
            copies = c;
    if (copies > 1) {
        const auto c = static_cast<double>(copies);
        const std::int64_t stages = ranks / (copies * copies);
        add(
            "1.5D", 2 * static_cast<double>(stages) * lg(stages),
            [&](const SparseLayer &layer) { return 2 * nf(layer) / c + 2 * nf(layer) * c / p; },
            "2P/c^2 lg(P/c^2) alpha + (2nf/c + 2nfc/P) beta, c = " + std::to_string(copies));
    }
    if (const double q = std::round(std::sqrt(p)); q * q == p)
        add(
            "2D", 5 * q + 3 * lg(ranks),
            [&](const SparseLayer &layer) { return 8 * nf(layer) / q + 2 * layer.nonzeros / q; },
            "(5 sqrt P + 3 lg P) alpha + (8nf + 2nnz)/sqrt P beta");
    if (const double q = std::round(std::cbrt(p)); q * q * q == p)
        add(
            "3D", 4 * q,
            [&](const SparseLayer &layer) { return 2 * layer.nonzeros / (q * q) + 12 * nf(layer) / (q * q); },
            "4 P^(1/3) alpha + (2nnz + 12nf)/P^(2/3) beta");
    return result;
}

} // namespace planc::cost
