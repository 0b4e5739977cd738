#include "plan/terms/term_builder.h"

#include <map>
#include <utility>

namespace planc::plan {

using sharding::Links;

Objective TermBuilder::finished() {
    objective_.bucket_latency = cache_.bucket_latency;
    return std::move(objective_);
}

TermBuilder::TermBuilder(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache)
    : step_(step), index_(step.index), graph_(step.index.graph), space_(space), mesh_(mesh), machine_(machine),
      storage_(storage), cache_(cache),
      layers_(step.index.graph.layers.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}}),
      reshards_of_(step.index.graph.values.size(), nullptr), chosen_(step.variables, 0),
      storage_number_(cache.storages.emplace(storage_text(), cache.storages.size() + 1).first->second) {
    objective_.terms.reserve(graph_.operations.size() + graph_.values.size() + step.passing.size());
    for (const auto &options : space.options) {
        objective_.domains.push_back(static_cast<int>(options->size()));
        cache.keep(options);
    }
    objective_.domains.resize(space.options.size() + step.passing.size(), static_cast<int>(cache.sets_of_sums.size()));
    objective_.domains.resize(step.variables, 1);
}

bool TermBuilder::depends_on_storage(ValueId v) const {
    return graph_.values[v].kind == sharding::ValueKind::variable || index_.stored_in[v] ||
           (graph_.values[v].producer && graph_.operations[graph_.values[v].producer].parameter) ||
           std::any_of(index_.uses[v].begin(), index_.uses[v].end(), [this](const sharding::Use &use) {
               return static_cast<bool>(graph_.operations[use.operation].parameter);
           });
}

std::string TermBuilder::storage_text() const {
    std::string text = "stored";
    for (const std::vector<int> &axes : {storage_.parameters, storage_.gradients, storage_.optimizer}) {
        text += '/';
        for (int axis : axes)
            text += std::to_string(axis) + ' ';
    }
    return text;
}

void TermBuilder::add_alike(std::uintptr_t priced, const Scope &scope, bool stored, const cost::Life &life,
                            std::span<const StepStructure::Reader> readers, const std::function<void()> &make) {
    key_.assign({priced, static_cast<std::uintptr_t>(scope.kind), stored ? storage_number_ : 0});
    for (const LayerId variable : scope.variables)
        if (layers_.contains(variable))
            key_.push_back(reinterpret_cast<std::uintptr_t>(space_.options[variable].get()));
    const auto known = cache_.alike.find(key_);
    std::vector<LayerId> variables = scope.variables;
    for (const StepStructure::Reader &reader : readers)
        variables.push_back(reader.wanted);
    if (known == cache_.alike.end()) {
        std::vector<std::uintptr_t> key = key_;
        const std::size_t first = objective_.terms.size();
        const bool others_are_exact = std::exchange(objective_.is_exact, true);
        make();
        AlikeTerms made{{objective_.terms.begin() + static_cast<std::ptrdiff_t>(first), objective_.terms.end()}, {}};
        for (Term &term : made.terms)
            for (LayerId &variable : term.variables)
                variable = LayerId(static_cast<std::size_t>(std::find(variables.begin(), variables.end(), variable) -
                                                            variables.begin()));
        for (const StepStructure::Reader &reader : readers)
            made.of_readers.push_back(objective_.domains[reader.wanted.index()]);
        made.is_exact = std::exchange(objective_.is_exact, others_are_exact && objective_.is_exact);
        cache_.alike.emplace(std::move(key), std::move(made));
        return;
    }
    for (const Term &term : known->second.terms) {
        Term &mine = objective_.terms.emplace_back(term);
        for (LayerId &variable : mine.variables)
            variable = variables[variable.index()];
        mine.life = life;
    }
    for (std::size_t r = 0; r < readers.size(); ++r)
        objective_.domains[readers[r].wanted.index()] = known->second.of_readers[r];
    objective_.is_exact &= known->second.is_exact;
}

void TermBuilder::add_operation(OperationId o) {
    const Scope &scope = step_.operations[o];
    const bool stored = static_cast<bool>(graph_.operations[o].parameter);
    add_alike(of_computation, scope, stored, {}, {}, [&] {
        add(scoped(scope, scope.variables, "operation " + std::to_string(scope.kind) + (stored ? storage_text() : "")),
            [&](const Term &term, TermTable &table) { price_operation(o, term, table); });
    });
}

TermBuilder::ScopedTerm TermBuilder::scoped(const Scope &scope, const std::vector<LayerId> &variables,
                                            std::string key) {
    ScopedTerm result;
    Term &term = result.term;
    term.variables = variables;
    term.class_of.reserve(variables.size());
    term.classes.reserve(variables.size());
    std::string numbers;
    for (const LayerId layer : variables) {
        const StrategyClasses &of_layer = classes(scope.structure, layer);
        term.class_of.push_back(of_layer.of_strategy);
        term.classes.push_back(of_layer.count);
        numbers += '|';
        numbers += std::to_string(of_layer.number);
    }
    result.key = std::move(key) + numbers;
    return result;
}

double TermBuilder::entries(const Term &term) {
    return std::accumulate(term.classes.begin(), term.classes.end(), 1.0, std::multiplies<>());
}

void TermBuilder::price_operation(OperationId o, const Term &term, TermTable &table) {
    for_each(term, all(term), [&](const std::vector<int> &) { table.prices.seconds.push_back(seconds(o)); });
}

double TermBuilder::seconds(OperationId o) const {
    const sharding::Operation &operation = graph_.operations[o];
    const sharding::Strategy strategy = operation.parameter
                                            ? sharding::strategy_of(index_, mesh_, layers_, o, storage_)
                                            : sharding::bind(layers_[operation.layer], operation.nest, mesh_);
    return (operation.per_step ? graph_.weights.updates : graph_.microbatches) *
           cost::seconds_under(strategy, operation, step_.facts->work[o], mesh_, machine_).value;
}

void TermBuilder::add_value(ValueId v) {
    add_alike(of_copies, step_.values[v], depends_on_storage(v), step_.facts->lives[v], step_.readers[v],
              [this, v] { make_value(v); });
}

void TermBuilder::make_value(ValueId v) {
    const Scope &scope = step_.values[v];
    std::string key = "value " + std::to_string(scope.kind);
    if (depends_on_storage(v))
        key += storage_text();
    ScopedTerm value = scoped(scope, scope.variables, std::move(key));
    value.term.life = step_.facts->lives[v];
    if (entries(value.term) > cache_.largest_term)
        merge(value, [&](const Term &priced) { return columns_of_value(v, priced); });
    if (entries(value.term) > cache_.largest_term && !step_.readers[v].empty())
        add_readers(v, value);
    else
        add(std::move(value), [&](const Term &priced, TermTable &table) { price_value(v, priced, table); });
}

/// Of each need, then of the value itself unless it is free.
std::vector<TermBuilder::Column> TermBuilder::columns_of_value(ValueId v, const Term &term) {
    std::vector<Column> columns;
    for (const sharding::Need &need : sharding::needs(index_, v))
        columns.push_back(wanted(term, v, need));
    if (graph_.values[v].kind != sharding::ValueKind::free)
        columns.push_back(origin(term, v));
    return columns;
}

void TermBuilder::price_value(ValueId v, const Term &term, TermTable &table) {
    const bool stored = step_.facts->residences[v] != cost::Residence::in_place;
    ValuePrices prices(index_, mesh_, cache_.known, cache_.links, v, step_.facts->residences[v]);
    const std::vector<Column> columns = columns_of_value(v, term);
    const bool free = graph_.values[v].kind == sharding::ValueKind::free;
    std::vector<Links::Wanted> wanted;
    for (std::size_t n = 0; n < prices.needs().size(); ++n)
        wanted.push_back({n, 0});
    std::vector<int> at(term.variables.size(), 0);
    const std::vector<std::size_t> places = all(term);
    do {
        for (Links::Wanted &each : wanted)
            each.placement = columns[each.need].at(at);
        add_price(prices.of(free ? -1 : columns.back().at(at), wanted), stored, table);
    } while (advance(term, places, at, [](std::size_t) {}));
}

void TermBuilder::add_price(const ValuePrice &price, bool stored, TermTable &table) {
    std::uint32_t fused = 0;
    for (const ValuePrice::Fused &call : price.fused)
        fused |= bucket(call);
    table.prices.seconds.push_back(price.seconds);
    table.fused.push_back(fused);
    if (stored)
        table.prices.bytes.push_back(price.bytes.value);
}

/// The bit of a bucket's set of axes; 0 if no bit is left: its latency is then never counted.
std::uint32_t TermBuilder::bucket(const ValuePrice::Fused &call) {
    const auto [known, is_new] =
        cache_.buckets.emplace(std::pair(call.norm, call.axes), static_cast<int>(cache_.buckets.size()));
    if (known->second >= 32)
        return 0;
    if (is_new)
        cache_.bucket_latency.push_back(call.latency);
    return std::uint32_t{1} << known->second;
}

TermTable TermBuilder::without_empty_parts(TermTable table) {
    std::vector<std::uint32_t> &fused = table.fused;
    if (std::all_of(fused.begin(), fused.end(), [](std::uint32_t set) { return set == 0; }))
        fused.clear();
    return table;
}

bool TermBuilder::is_zero(const TermTable &table) {
    const auto is_nothing = [](auto seconds) { return seconds == 0; };
    const Table &prices = table.prices;
    return prices.bytes.empty() && table.fused.empty() &&
           std::all_of(prices.seconds.begin(), prices.seconds.end(), is_nothing) &&
           std::all_of(prices.rounded.begin(), prices.rounded.end(), is_nothing);
}

void TermBuilder::choose(LayerId variable, int value) {
    chosen_[variable] = value;
    if (layers_.contains(variable))
        layers_[variable] = (*space_.options[variable])[value];
}

std::vector<int> TermBuilder::first_of_classes(const std::vector<int> &class_of, int classes) {
    std::vector<int> first(classes, -1);
    for (int strategy = 0; strategy < static_cast<int>(class_of.size()); ++strategy)
        if (int &known = first[class_of[strategy]]; known < 0)
            known = strategy;
    return first;
}

/// The operations of a structure whose strategies a layer decides.
std::map<LayerId, std::vector<std::pair<OperationId, const std::set<int> *>>> &
TermBuilder::by_layer(const Structure &structure) {
    if (grouped_ == &structure)
        return by_layer_;
    by_layer_.clear();
    for (const auto &[o, loops] : structure.operations())
        if (!graph_.operations[o].parameter)
            by_layer_[graph_.operations[o].layer].emplace_back(o, &loops);
    grouped_ = &structure;
    return by_layer_;
}

/// Strategies of a layer that bind the relevant loops alike are one class. Equal lists are one object.
const StrategyClasses &TermBuilder::classes(const Structure &structure, LayerId layer) {
    if (!layers_.contains(layer))
        return cache_.classes_of_sums;
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(space_.options[layer].get()));
    std::vector<std::pair<OperationId, const std::set<int> *>> operations;
    for (const auto &[o, loops] : by_layer(structure)[layer]) {
        const sharding::Operation &operation = graph_.operations[o];
        operations.emplace_back(o, loops);
        key += ";";
        for (int loop : *loops)
            key += operation.nest.loops[loop].name + ",";
    }
    const auto [at, is_new] = cache_.classes.try_emplace(std::move(key));
    StrategyClasses &known = at->second;
    if (!is_new)
        return known;
    std::map<std::vector<int>, int> ids;
    auto result = std::make_shared<std::vector<int>>();
    std::vector<int> signature;
    for (const LayerStrategy &option : *space_.options[layer]) {
        signature.clear();
        for (const auto &[o, loops] : operations) {
            const sharding::Nest &nest = graph_.operations[o].nest;
            for (const std::string &name : option.loop_of_axis) {
                const auto match =
                    std::find_if(loops->begin(), loops->end(), [&](int loop) { return nest.loops[loop].name == name; });
                signature.push_back(match == loops->end() ? -1 : *match);
            }
        }
        result->push_back(ids.emplace(signature, static_cast<int>(ids.size())).first->second);
    }
    known = {std::move(result), static_cast<int>(ids.size()), static_cast<int>(cache_.classes.size())};
    return known;
}

} // namespace planc::plan
