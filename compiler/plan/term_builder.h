// Builds the terms of an objective: enumerates classes of strategies, numbers the resulting placements, and shares
// tables between terms of equal structure. objective.cpp computes prices with it, relaxation.cpp bounds.
#pragma once

#include "plan/objective.h"
#include "plan/structure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace planc::plan {

class TermBuilder {
  protected:
    /// All must outlive this.
    TermBuilder(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                const Storage &storage, TermCache &cache);

    /// The numbers of something's placements under all strategies that determine it, those of a few of the term's
    /// layers.
    struct Column {
        std::vector<int> numbers;
        std::vector<int> strides; ///< per layer of the term
        [[nodiscard]] int place(const std::vector<int> &classes) const {
            return std::inner_product(classes.begin(), classes.end(), strides.begin(), 0);
        }
        [[nodiscard]] int at(const std::vector<int> &classes) const { return numbers[place(classes)]; }
    };
    /// The placements in which a need wants a value, and those of the value itself (not for free values).
    Column wanted(const Term &term, ValueId value, const sharding::Need &need);
    Column origin(const Term &term, ValueId value);

    /// Those for the value's shape.
    sharding::Reshards &reshards_of(ValueId value) {
        sharding::Reshards *&known = reshards_of_[value];
        if (known == nullptr)
            known = &cache_.reshards.of(graph_.values[value].extents);
        return *known;
    }

    /// The layers that determine where something needs a value, ascending.
    [[nodiscard]] std::vector<LayerId> layers_of(const sharding::Need &need) const;

    static std::vector<std::size_t> all(const Term &term) {
        std::vector<std::size_t> places(term.layers.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }

    /// Visits all combinations of classes of the term's layers at these indices, the last fastest, with the other
    /// layers at class 0. layers_ then has a strategy of each class.
    template <class Visit> void for_each(const Term &term, const std::vector<std::size_t> &places, const Visit &visit) {
        std::vector<std::vector<int>> strategies; // per layer: the first of each class
        for (std::size_t i = 0; i < term.layers.size(); ++i) {
            strategies.push_back(first_of_classes(*term.class_of[i], term.classes[i]));
            choose(term.layers[i], strategies[i][0]);
        }
        std::vector<int> at(term.layers.size(), 0);
        do
            visit(at);
        while (advance(term, places, at,
                       [&](std::size_t place) { choose(term.layers[place], strategies[place][at[place]]); }));
    }

    /// The next combination of classes at these indices; calls moved(index). False: all are back at class 0.
    template <class Moved>
    static bool advance(const Term &term, const std::vector<std::size_t> &places, std::vector<int> &at,
                        const Moved &moved) {
        for (std::size_t p = places.size(); p-- > 0;) {
            int &of_class = at[places[p]];
            of_class = of_class + 1 < term.classes[places[p]] ? of_class + 1 : 0;
            moved(places[p]);
            if (of_class > 0)
                return true;
        }
        return false;
    }

    [[nodiscard]] bool depends_on_storage(ValueId value) const;
    [[nodiscard]] std::string storage_text() const;

    /// The layers on which a term depends, and a number that is equal for terms of equal structure.
    struct Scope {
        const Structure &structure;
        const std::vector<LayerId> &layers;
        int kind = 0;
    };
    [[nodiscard]] Scope of_operation(OperationId o) const {
        return {step_.operations[o], step_.operation_layers[o], step_.operation_kind[o]};
    }
    [[nodiscard]] Scope of_value(ValueId v) const {
        return {step_.values[v], step_.value_layers[v], step_.value_kind[v]};
    }
    /// A term without its table.
    struct ScopedTerm {
        Term term;
        std::string key; ///< of the table
        /// If strategies were selected from longer lists that have a table: that table, and per layer the class there.
        std::shared_ptr<const TermTable> whole;
        std::vector<std::vector<int>> class_in_whole; ///< by class
        std::vector<int> classes_of_whole;
    };
    /// The term for these layers of the scope. `key`: equal for terms of equal structure.
    ScopedTerm scoped(const Scope &scope, const std::vector<LayerId> &layers, std::string key);
    static double entries(const Term &term);
    /// Takes the term's table from the cache, or lets `price(term, table)` fill it; keeps the term unless it is zero.
    template <class Price> void add(ScopedTerm scoped, const Price &price) {
        add_made(std::move(scoped), [&](const Term &priced) {
            TermTable filled;
            price(priced, filled);
            return std::make_shared<const TermTable>(without_empty_parts(std::move(filled)));
        });
    }
    /// The same with a table that `make(term)` returns.
    template <class Make> void add_made(ScopedTerm scoped, const Make &make) {
        std::shared_ptr<const TermTable> &table = cache_.tables[scoped.key];
        if (!table)
            table = scoped.whole ? part_of_whole(scoped) : make(scoped.term);
        if (is_zero(*table))
            return;
        scoped.term.table = table;
        objective_.terms.push_back(std::move(scoped.term));
    }

    /// Adds the computation of an operation.
    void add_operation(OperationId operation);
    /// Adds the cost of a value's copies; leaves it out if it depends on too many choices.
    void add_value(ValueId value);
    [[nodiscard]] Objective finished();

    /// The placements of an operation's tensors.
    struct Numbers {
        std::vector<int> operands;
        std::vector<int> results;
    };

    const StepStructure &step_;
    const sharding::GraphIndex &index_;
    const Graph &graph_;
    const Space &space_;
    const Mesh &mesh_;
    const Machine &machine_;
    const Storage &storage_;
    TermCache &cache_;
    PerLayer<const Narrowed *> narrowed_; ///< null: its strategies were not selected from a longer list
    LayerStrategies layers_;              ///< scratch: the strategies that are being priced
    std::map<std::pair<int, const Strategies *>, PlacedOperation> following_; ///< by kind of operation
    PerValue<sharding::Reshards *> reshards_of_;                              ///< null: not asked for yet
    PerOperation<int> sums_above_;
    PerLayer<int> chosen_; ///< the numbers of layers_
    Objective objective_;

  private:
    /// The numbers that `number()` returns under all strategies of `layers`.
    template <class Number> Column column(const Term &term, const std::vector<LayerId> &layers, const Number &number);
    /// The numbers under each strategy of one layer.
    static Column column(const Term &term, LayerId layer, const std::vector<int> &numbers);
    /// Where an operation needs its operands and leaves its results under each strategy of the layer that determines
    /// it; null: several layers do.
    const PlacedOperation *placed(OperationId operation);
    /// The same for an operation that follows a parameter: operations with the same home are placed alike.
    const PlacedOperation &following(OperationId operation);
    /// `wanted`: the number of the placement in which the parameter is read; -1: to be derived.
    Numbers following(OperationId operation, LayerId layer, const LayerStrategy &strategy, int wanted);
    [[nodiscard]] bool follows_layer(OperationId operation) const;
    /// The same under the current strategies, if partial sums may pass but nothing else matters.
    const PassingOperation::Placed &passing(OperationId operation);
    [[nodiscard]] bool is_passing(OperationId operation);
    /// The number of such operations in sequence that end with this one.
    int sums_above(OperationId operation);
    /// For a value that is_passing() has seen.
    PartialSums sums_of(ValueId value);
    void price_operation(OperationId operation, const Term &term, TermTable &table);
    void price_value(ValueId value, const Term &term, TermTable &table);
    std::uint32_t bucket(const ValuePrice::Fused &call);
    static TermTable without_empty_parts(TermTable table);
    static bool is_zero(const TermTable &table);
    void choose(LayerId layer, int strategy);
    static std::vector<int> first_of_classes(const std::vector<int> &class_of, int classes);
    const StrategyClasses &classes(const Scope &scope, LayerId layer);
    /// Null: not made yet.
    const StrategyClasses *known_classes(const Scope &scope, std::size_t place, const Strategies *options) const;
    void find_whole(const Scope &scope, std::string key, ScopedTerm &scoped) const;
    static std::shared_ptr<const TermTable> part_of_whole(const ScopedTerm &scoped);
    const StrategyClasses &classes(const Structure &structure, LayerId layer);
};

} // namespace planc::plan
