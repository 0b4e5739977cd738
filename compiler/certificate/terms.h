// The bound of pricing.h as functions of few layers: of each layer alone, and of several together.
//
// Entries of large tables are first bounded (least_transfer.h); only those that matter to a proof are priced.
#pragma once

#include "certificate/pricing.h"
#include "certificate/space.h"

#include <algorithm>
#include <memory>

namespace planc::certificate {

/// Indices of strategies, ascending.
using Kept = PerLayer<std::vector<int>>;

/// Walks the entries of a table, row-major: `visit(entry, classes)`.
template <class Visit> void for_entries(const std::vector<int> &sizes, const Visit &visit) {
    std::vector<int> at(sizes.size(), 0);
    for (std::size_t entry = 0;; ++entry) {
        visit(entry, at);
        std::size_t i = sizes.size();
        while (i-- > 0) {
            if (++at[i] < sizes[i])
                break;
            at[i] = 0;
        }
        if (i == static_cast<std::size_t>(-1))
            return;
    }
}

/// Of an entry of a row-major table of these sizes, per layer.
[[nodiscard]] std::vector<int> classes_of(std::size_t entry, const std::vector<int> &sizes);

/// For each entry, row-major, the sum of what its classes have: `of_class` by layer and class.
template <class Number> std::vector<Number> sums_of_entries(const std::vector<std::vector<Number>> &of_class) {
    std::vector<Number> sums = {0};
    for (auto of_layer = of_class.rbegin(); of_layer != of_class.rend(); ++of_layer) {
        std::vector<Number> longer(sums.size() * of_layer->size());
        Number *to = longer.data();
        for (const Number own : *of_layer)
            to = std::transform(sums.begin(), sums.end(), to, [own](Number sum) { return own + sum; });
        sums = std::move(longer);
    }
    return sums;
}

/// The cost of a value, or a lower bound for some of its needs. Values of one kind share it.
struct Piece {
    std::vector<std::vector<int>> class_of; ///< per layer and kept strategy: strategies of one class cost the same
    std::vector<int> classes;               ///< per layer: how many
    std::vector<double> seconds;            ///< per entry, row-major: a lower bound; exact where `exact`
    std::vector<bool> exact;
    ValueId value;
    bool whole = false; ///< covers the whole value, so it can be priced exactly
    struct Column {
        std::vector<int> strides; ///< per layer
        std::vector<int> numbers; ///< of placements

        [[nodiscard]] std::size_t at(const std::vector<int> &entry) const; ///< the index of an entry among `numbers`,
                                                                           ///< given classes
    };
    std::vector<Column> columns; ///< per need, then the origin

    [[nodiscard]] std::vector<int> numbers(const std::vector<int> &at) const;
};

/// The sum of pieces that depend on the same layers, or on some of them.
struct Factor {
    std::vector<LayerId> layers; ///< ascending, two or more
    std::vector<std::vector<int>> class_of;
    std::vector<int> classes;
    std::vector<double> seconds; ///< per entry, row-major
    struct Part {
        std::shared_ptr<Piece> piece;
        std::vector<std::vector<std::size_t>> offset; ///< per layer of the factor and class: of the piece's entry
    };
    std::vector<Part> parts;

    /// Sums the pieces again, after other factors may have made them more exact.
    void refresh();
};

class Terms {
  public:
    /// All must outlive this. `options`: strategies per layer. One pricing may serve several storages in turn.
    Terms(const StepScopes &step, Pricing &pricing, const Storage &storage, double byte_limit,
          const PerLayer<Strategies> &options);

    void weigh(const Weights &weights);
    [[nodiscard]] Pricing &pricing() { return pricing_; }
    /// The placements under these strategies, which must outlive the result.
    [[nodiscard]] sharding::Copies copies(const LayerStrategies &layers) const {
        return {step_.kinds.index, pricing_.mesh(), layers, storage_, pricing_.routes()};
    }
    [[nodiscard]] const PerLayer<Strategies> &options() const { return options_; }
    [[nodiscard]] double constant() const { return constant_; }
    /// By layer and strategy: the terms that depend on it alone.
    [[nodiscard]] const PerLayer<std::vector<double>> &alone() const { return alone_; }

    /// The terms that depend on several layers, among the kept strategies. `whole`: a value is one term of all its
    /// layers if these do not have too many combinations; all other values are bounded by pairs of layers.
    [[nodiscard]] std::vector<Factor> factors(const Kept &kept, bool whole);
    /// Makes an entry, which has these classes, as exact as possible. Returns false if the factor already had the exact
    /// value.
    bool price(Factor &factor, std::size_t entry, const std::vector<int> &classes);
    [[nodiscard]] std::int64_t priced() const { return priced_; }         ///< how many entries of pieces
    [[nodiscard]] std::size_t derived() const { return derived_.size(); } ///< how many placements of several layers
    [[nodiscard]] double byte_limit() const { return byte_limit_; }

  private:
    using PlacedPiece = std::pair<std::vector<LayerId>, std::shared_ptr<Piece>>; ///< with its layers
    /// What depends on one layer alone, under one of its strategies.
    struct Placed {
        double computation = 0;
        std::vector<std::vector<int>> numbers; ///< per value: of its needs and origin
    };

    void price_alone();
    [[nodiscard]] double of_memory() const;
    std::vector<double> alone(LayerId layer, const std::vector<OperationId> &operations,
                              const std::vector<ValueId> &values);
    Placed placed(LayerId layer, const LayerStrategy &strategy, const std::vector<OperationId> &operations,
                  const std::vector<ValueId> &values);
    /// For all strategies of the layer that decides it.
    const std::vector<int> &numbers(ValueId value, std::size_t need, LayerId layer);
    int kept_kind(const Kept &kept, LayerId layer);
    std::vector<PlacedPiece> pieces(ValueId value, const Kept &kept, bool whole);
    /// Null if the table would be too large, or if too many layers decide a placement.
    std::shared_ptr<Piece> piece(ValueId value, const std::vector<std::size_t> &needs,
                                 const std::vector<LayerId> &layers, double share, const Kept &kept);
    void classify(Piece &piece, const std::vector<std::size_t> &columns, const std::vector<LayerId> &layers,
                  const Kept &kept);
    void bound(Piece &piece, double share);
    void tell_apart(ValueId value, std::size_t need, LayerId layer, const std::vector<int> &kept,
                    std::vector<std::vector<int>> &signatures);
    int number(ValueId value, std::size_t need);
    std::vector<int> combinations(ValueId value, std::size_t need, const std::vector<std::vector<int>> &of_layers);

    const StepScopes &step_;
    const sharding::Graph &graph_;
    double byte_limit_;
    const PerLayer<Strategies> &options_;
    Pricing &pricing_;
    const Storage &storage_;
    PerLayer<int> kind_of_options_; ///< layers with equal lists are of one kind
    LayerStrategy none_;            ///< splits nothing
    LayerStrategies layers_;        ///< scratch: none_ everywhere
    PerLayer<int> chosen_;          ///< scratch
    PerValue<int> lies_;            ///< scratch
    double constant_ = 0;
    std::int64_t priced_ = 0;
    PerLayer<std::vector<double>> alone_;
    std::map<std::tuple<int, std::size_t, int>, std::vector<int>> numbers_; ///< by structure, need, kind of options
    std::map<std::vector<int>, std::vector<Placed>> placed_; ///< by structure, for each strategy of the layer
    std::map<std::vector<int>, int> derived_; ///< by structure, need, the strategies that are read, numbers of operands
    std::map<std::pair<int, std::vector<int>>, int> kept_kinds_;
    std::map<std::vector<int>, std::shared_ptr<Piece>> known_; ///< pieces, by everything on which they depend
};

} // namespace planc::certificate
