// Builds the terms of an objective: enumerates classes of strategies, numbers the resulting placements, and shares
// tables between terms of equal structure. objective.cpp computes prices with it, relaxation.cpp bounds.
#pragma once

#include "plan/terms/objective.h"
#include "plan/terms/structure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>
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
            known = &cache_.known.reshards.of(graph_.values[value].extents);
        return *known;
    }

    static std::vector<std::size_t> all(const Term &term) {
        std::vector<std::size_t> places(term.variables.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }

    /// Visits all combinations of classes of the term's layers at these indices, the last fastest, with the other
    /// layers as they were chosen last. layers_ then has a strategy of each class.
    template <class Visit> void for_each(const Term &term, const std::vector<std::size_t> &places, const Visit &visit) {
        std::vector<std::vector<int>> strategies(term.variables.size()); // per layer: the first of each class
        for (const std::size_t i : places) {
            strategies[i] = first_of_classes(*term.class_of[i], term.classes[i]);
            choose(term.variables[i], strategies[i][0]);
        }
        std::vector<int> at(term.variables.size(), 0);
        do
            visit(at);
        while (advance(term, places, at,
                       [&](std::size_t place) { choose(term.variables[place], strategies[place][at[place]]); }));
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

    /// Under the current values: the placement in which something needs a value, and that of the value itself (-1: of a
    /// free value).
    int number(ValueId value, const sharding::Need &need);
    int lies(ValueId value);
    /// Of what no operation of a layer makes. What its reader needs decides where a variable lies, so strategies that
    /// need the same give the same.
    int home(ValueId value);
    /// The computation of an operation in a step.
    [[nodiscard]] double seconds(OperationId operation) const;
    /// The layer whose strategy decides where the operation runs.
    [[nodiscard]] LayerId decided_by(OperationId operation) const;
    /// The axes over which sums pass, given what its operands are.
    std::uint32_t passing_axes(OperationId operation);
    void choose(LayerId variable, int value);
    std::uint32_t bucket(const ValuePrice::Fused &call);

    using Scope = StepStructure::Scope;
    /// A term without its table.
    struct ScopedTerm {
        Term term;
        std::string key; ///< of the table
    };
    /// The term for these variables of the scope. `key`: equal for terms of equal structure.
    ScopedTerm scoped(const Scope &scope, const std::vector<LayerId> &variables, std::string key);
    static double entries(const Term &term);
    static constexpr double work_of_entry = 400; ///< that is priced: about 0.4 microseconds
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
        find_table(scoped, make);
        if (!is_zero(*scoped.term.table))
            objective_.terms.push_back(std::move(scoped.term));
    }
    template <class Make> void find_table(ScopedTerm &scoped, const Make &make) {
        std::shared_ptr<const TermTable> &table = cache_.tables[scoped.key];
        if (!table) {
            table = make(scoped.term);
            cache_.work += work_of_entry * entries(scoped.term);
        }
        scoped.term.table = table;
    }

    /// What a term is: the first part of its key. of_bound: and of how many layers.
    enum Priced : std::uintptr_t { of_computation, of_sums, of_copies, of_bound };
    /// Adds the terms that `make` adds, or those that it added before for another one of this kind. `readers`: of a
    /// value.
    void add_alike(std::uintptr_t priced, const Scope &scope, bool stored, const cost::Life &life,
                   std::span<const StepStructure::Reader> readers, const std::function<void()> &make);

    /// Adds the computation of an operation.
    void add_operation(OperationId operation);
    /// Adds the cost of a value's copies.
    void add_value(ValueId value);
    void make_value(ValueId value);
    /// The same, one reader after another.
    void add_readers(ValueId value, const ScopedTerm &scoped);
    /// Binds a sum to what the layers let pass: other values of the variable cost infinity.
    void add_sums(std::size_t sum);
    void make_sums(std::size_t sum, bool stored);
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
    LayerStrategies layers_; ///< scratch: the strategies that are being priced
    std::map<std::pair<int, const Strategies *>, PlacedOperation> following_;          ///< by kind of operation
    std::map<std::pair<int, const Strategies *>, PassingOperation> passing_following_; ///< the same: depends on storage
    PerValue<sharding::Reshards *> reshards_of_;                                       ///< null: not asked for yet
    std::map<std::pair<ValueId, int>, int> homes_; ///< of variables, by the number of what their reader needs
    PerLayer<int> chosen_;                         ///< of each variable: the number of its value
    Objective objective_;
    std::uintptr_t storage_number_;   ///< of the storage: equal numbers mean equal storages
    std::vector<std::uintptr_t> key_; ///< scratch

  private:
    /// The numbers that `number()` returns under all values of `variables`.
    template <class Number>
    Column column(const Term &term, const std::vector<LayerId> &variables, const Number &number) {
        Column column;
        column.strides.assign(term.variables.size(), 0);
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < term.variables.size(); ++i)
            if (std::binary_search(variables.begin(), variables.end(), term.variables[i]))
                places.push_back(i);
        int stride = 1;
        for (std::size_t i = places.size(); i-- > 0;) {
            column.strides[places[i]] = stride;
            stride *= term.classes[places[i]];
        }
        for_each(term, places, [&](const std::vector<int> &) { column.numbers.push_back(number()); });
        return column;
    }
    /// The numbers under each strategy of one layer.
    static Column column(const Term &term, LayerId layer, const std::vector<int> &numbers);
    /// Where an operation needs its operands and leaves its results under each strategy of the layer that decides;
    /// null: sums may pass through it, or no layer decides.
    const PlacedOperation *placed(OperationId operation);
    /// The same for an operation that follows a parameter: operations with the same home are placed alike.
    const PlacedOperation &following(OperationId operation);
    /// `wanted`: the number of the placement in which the parameter is read; -1: to be derived.
    Numbers following(OperationId operation, LayerId layer, const LayerStrategy &strategy, int wanted);
    /// The same under the current values, where partial sums may pass.
    const PassingOperation::Placed &passing(OperationId operation);
    /// Where the operation leaves its results if sums pass over these axes.
    const PassingOperation::Placed &passing(OperationId operation, std::uint32_t axes);
    PassingOperation &known_passing(OperationId operation);
    PartialSums sums_of(ValueId value);
    std::vector<Column> columns_of_value(ValueId value, const Term &term);
    std::vector<Column> columns_of_sums(OperationId operation, const Term &term);
    void merge(ScopedTerm &scoped, const std::function<std::vector<Column>(const Term &)> &columns);
    void price_operation(OperationId operation, const Term &term, TermTable &table);
    void price_value(ValueId value, const Term &term, TermTable &table);
    static Term part_of(const Term &term, const std::vector<LayerId> &variables);
    void append(Term &term, LayerId variable, int values);
    std::shared_ptr<const ReaderTables> reader_tables(ValueId value, const Term &term, std::size_t largest);
    std::shared_ptr<const TermTable> price_sets(ValueId value, const Term &term,
                                                const std::vector<WantedPlacements> &sets);
    void add_price(const ValuePrice &price, bool stored, TermTable &table);
    static TermTable without_empty_parts(TermTable table);
    static bool is_zero(const TermTable &table);
    static std::vector<int> first_of_classes(const std::vector<int> &class_of, int classes);
    const StrategyClasses &classes(const Structure &structure, LayerId layer);
    std::map<LayerId, std::vector<std::pair<OperationId, const std::set<int> *>>> &by_layer(const Structure &structure);

    const Structure *grouped_ = nullptr; ///< that of by_layer_
    std::map<LayerId, std::vector<std::pair<OperationId, const std::set<int> *>>> by_layer_;
};

} // namespace planc::plan
