#include "plan/term_builder.h"

#include <limits>
#include <map>
#include <utility>

namespace planc::plan {

/// The maximum number of entries of a table that are priced one by one; more would take seconds.
static constexpr double largest_term = 1 << 16;

Objective TermBuilder::finished() {
    objective_.bucket_latency = cache_.bucket_latency;
    return std::move(objective_);
}

TermBuilder::TermBuilder(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache)
    : step_(step), index_(step.index), graph_(step.index.graph), space_(space), mesh_(mesh), machine_(machine),
      storage_(storage), cache_(cache),
      layers_(step.index.graph.layers.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}}),
      reshards_of_(step.index.graph.values.size(), nullptr), chosen_(step.index.graph.layers.size(), 0) {
    objective_.terms.reserve(graph_.operations.size() + graph_.values.size());
    for (const auto &options : space.options) {
        objective_.domains.push_back(static_cast<int>(options->size()));
        cache.keep(options);
        const auto narrowed = cache.narrowed.find(options.get());
        narrowed_.push_back(narrowed == cache.narrowed.end() ? nullptr : &narrowed->second);
    }
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

void TermBuilder::add_operation(OperationId o) {
    std::string key = "operation " + std::to_string(step_.operation_kind[o]);
    if (graph_.operations[o].parameter)
        key += storage_text();
    add(scoped(of_operation(o), step_.operation_layers[o], std::move(key)),
        [&](const Term &term, TermTable &table) { price_operation(o, term, table); });
}

TermBuilder::ScopedTerm TermBuilder::scoped(const Scope &scope, const std::vector<LayerId> &layers, std::string key) {
    ScopedTerm result;
    Term &term = result.term;
    term.layers = layers;
    term.class_of.reserve(layers.size());
    term.classes.reserve(layers.size());
    std::string numbers;
    for (const LayerId layer : layers) {
        const StrategyClasses &of_layer = classes(scope, layer);
        term.class_of.push_back(of_layer.of_strategy);
        term.classes.push_back(of_layer.count);
        numbers += '|';
        numbers += std::to_string(of_layer.number);
    }
    if (std::all_of(layers.begin(), layers.end(), [this](LayerId layer) { return narrowed_[layer] != nullptr; }))
        find_whole(scope, key, result);
    result.key = std::move(key) + numbers;
    return result;
}

void TermBuilder::find_whole(const Scope &scope, std::string key, ScopedTerm &scoped) const {
    const Term &term = scoped.term;
    for (std::size_t i = 0; i < term.layers.size(); ++i) {
        const Narrowed &narrowed = *narrowed_[term.layers[i]];
        const auto place = std::lower_bound(scope.layers.begin(), scope.layers.end(), term.layers[i]);
        const StrategyClasses *of_whole =
            known_classes(scope, static_cast<std::size_t>(place - scope.layers.begin()), narrowed.from.get());
        if (of_whole == nullptr)
            return;
        key += '|';
        key += std::to_string(of_whole->number);
        scoped.classes_of_whole.push_back(of_whole->count);
        std::vector<int> &there = scoped.class_in_whole.emplace_back();
        for (int first : first_of_classes(*term.class_of[i], term.classes[i]))
            there.push_back((*of_whole->of_strategy)[narrowed.places[first]]);
    }
    if (const auto known = cache_.tables.find(key); known != cache_.tables.end())
        scoped.whole = known->second;
}

std::shared_ptr<const TermTable> TermBuilder::part_of_whole(const ScopedTerm &scoped) {
    const Term &term = scoped.term;
    const TermTable &whole = *scoped.whole;
    TermTable part;
    std::vector<int> at(term.layers.size(), 0);
    const std::vector<std::size_t> places = all(term);
    do {
        std::size_t entry = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
            entry = entry * static_cast<std::size_t>(scoped.classes_of_whole[i]) +
                    static_cast<std::size_t>(scoped.class_in_whole[i][at[i]]);
        if (whole.prices.rounded.empty())
            part.prices.seconds.push_back(whole.prices.seconds[entry]);
        else
            part.prices.rounded.push_back(whole.prices.rounded[entry]);
        if (!whole.prices.bytes.empty())
            part.prices.bytes.push_back(whole.prices.bytes[entry]);
        if (!whole.fused.empty())
            part.fused.push_back(whole.fused[entry]);
    } while (advance(term, places, at, [](std::size_t) {}));
    return std::make_shared<const TermTable>(without_empty_parts(std::move(part)));
}

double TermBuilder::entries(const Term &term) {
    return std::accumulate(term.classes.begin(), term.classes.end(), 1.0, std::multiplies<>());
}

void TermBuilder::price_operation(OperationId o, const Term &term, TermTable &table) {
    const sharding::Operation &operation = graph_.operations[o];
    const double times = operation.per_step ? 1 : graph_.microbatches;
    for_each(term, all(term), [&](const std::vector<int> &) {
        const sharding::Strategy strategy = operation.parameter
                                                ? sharding::strategy_of(index_, mesh_, layers_, o, storage_)
                                                : sharding::bind(layers_[operation.layer], operation.nest, mesh_);
        table.prices.seconds.push_back(
            times * cost::seconds_under(strategy, graph_, operation, step_.facts->fusion[o], mesh_, machine_).value);
    });
}

void TermBuilder::add_value(ValueId v) {
    std::string key = "value " + std::to_string(step_.value_kind[v]);
    if (depends_on_storage(v))
        key += storage_text();
    ScopedTerm value = scoped(of_value(v), step_.value_layers[v], std::move(key));
    value.term.life = step_.facts->lives[v];
    if (entries(value.term) > largest_term)
        objective_.left_out.push_back(v);
    else
        add(std::move(value), [&](const Term &priced, TermTable &table) { price_value(v, priced, table); });
}

void TermBuilder::price_value(ValueId v, const Term &term, TermTable &table) {
    const bool stored = step_.facts->residences[v] != cost::Residence::in_place;
    ValuePrices prices(index_, mesh_, cache_.reshards, cache_.prices, v, step_.facts->residences[v]);
    std::vector<Column> columns;
    for (const sharding::Need &need : prices.needs())
        columns.push_back(wanted(term, v, need));
    const bool free = graph_.values[v].kind == sharding::ValueKind::free;
    if (!free)
        columns.push_back(origin(term, v));
    std::vector<int> numbers(columns.size());
    std::vector<int> at(term.layers.size(), 0);
    const std::vector<std::size_t> places = all(term);
    do {
        for (std::size_t c = 0; c < columns.size(); ++c)
            numbers[c] = columns[c].at(at);
        const ValuePrice &price = prices.of(free ? -1 : numbers.back(), {numbers.data(), prices.needs().size()});
        std::uint32_t fused = 0;
        for (const ValuePrice::Fused &call : price.fused)
            fused |= bucket(call);
        table.prices.seconds.push_back(price.seconds);
        table.fused.push_back(fused);
        if (stored)
            table.prices.bytes.push_back(price.bytes.value);
    } while (advance(term, places, at, [](std::size_t) {}));
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

void TermBuilder::choose(LayerId layer, int strategy) {
    chosen_[layer] = strategy;
    layers_[layer] = (*space_.options[layer])[strategy];
}

std::vector<int> TermBuilder::first_of_classes(const std::vector<int> &class_of, int classes) {
    std::vector<int> first(classes, -1);
    for (int strategy = 0; strategy < static_cast<int>(class_of.size()); ++strategy)
        if (int &known = first[class_of[strategy]]; known < 0)
            known = strategy;
    return first;
}

const StrategyClasses &TermBuilder::classes(const Scope &scope, LayerId layer) {
    const auto place = static_cast<std::size_t>(std::lower_bound(scope.layers.begin(), scope.layers.end(), layer) -
                                                scope.layers.begin());
    const Strategies *options = space_.options[layer].get();
    if (const StrategyClasses *known = known_classes(scope, place, options))
        return *known;
    const StrategyClasses &made = classes(scope.structure, layer);
    cache_.of_kind.resize(std::max(cache_.of_kind.size(), static_cast<std::size_t>(scope.kind) + 1));
    cache_.of_kind[scope.kind].push_back({place, options, &made});
    return made;
}

const StrategyClasses *TermBuilder::known_classes(const Scope &scope, std::size_t place,
                                                  const Strategies *options) const {
    if (cache_.of_kind.size() <= static_cast<std::size_t>(scope.kind))
        return nullptr;
    const std::vector<ClassesOfKind> &of_kind = cache_.of_kind[scope.kind]; // few
    const auto known = std::find_if(of_kind.begin(), of_kind.end(), [&](const ClassesOfKind &each) {
        return each.place == place && each.options == options;
    });
    return known == of_kind.end() ? nullptr : known->classes;
}

/// Strategies of a layer that bind the relevant loops alike are one class. Equal lists are one object.
const StrategyClasses &TermBuilder::classes(const Structure &structure, LayerId layer) {
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(space_.options[layer].get()));
    std::vector<std::pair<OperationId, const std::set<int> *>> operations;
    for (const auto &[o, loops] : structure.operations()) {
        const sharding::Operation &operation = graph_.operations[o];
        if (operation.layer != layer || operation.parameter)
            continue;
        operations.emplace_back(o, &loops);
        key += ";";
        for (int loop : loops)
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
