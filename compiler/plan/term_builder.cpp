#include "plan/term_builder.h"

#include <limits>
#include <map>
#include <utility>

namespace planc::plan {

/// Entries of a table that are priced one by one; more would take seconds.
static constexpr double largest_term = 1 << 16;

static constexpr int longest_chain = 8;

Objective TermBuilder::finished() {
    objective_.bucket_latency = cache_.bucket_latency;
    return std::move(objective_);
}

TermBuilder::TermBuilder(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache)
    : step_(step), index_(step.index), graph_(step.index.graph), space_(space), mesh_(mesh), machine_(machine),
      storage_(storage), cache_(cache),
      layers_(step.index.graph.layers.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}}),
      chosen_(step.index.graph.layers.size(), 0) {
    for (const auto &options : space.options) {
        objective_.domains.push_back(static_cast<int>(options->size()));
        cache.keep(options);
    }
}

std::vector<int> TermBuilder::layers_of(const sharding::Need &need) const {
    if (need.operand >= 0)
        return sharding::layers_of_placements(index_, need.operation);
    return need.home >= 0 ? sharding::layers_of_origin(index_, need.home) : std::vector<int>{};
}

template <class Number>
TermBuilder::Column TermBuilder::column(const Term &term, const std::vector<int> &layers, const Number &number) {
    Column column;
    column.strides.assign(term.layers.size(), 0);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < term.layers.size(); ++i)
        if (std::binary_search(layers.begin(), layers.end(), term.layers[i]))
            places.push_back(i);
    int stride = 1;
    for (std::size_t i = places.size(); i-- > 0;) {
        column.strides[places[i]] = stride;
        stride *= term.classes[places[i]];
    }
    for_each(term, places, [&](const std::vector<int> &) { column.numbers.push_back(number()); });
    return column;
}

TermBuilder::Column TermBuilder::column(const Term &term, int layer, const std::vector<int> &numbers) {
    Column column;
    column.strides.assign(term.layers.size(), 0);
    const auto place = std::find(term.layers.begin(), term.layers.end(), layer) - term.layers.begin();
    column.strides[place] = 1;
    column.numbers.assign(term.classes[place], 0);
    const std::vector<int> &classes = *term.class_of[place];
    for (std::size_t strategy = 0; strategy < classes.size(); ++strategy)
        column.numbers[classes[strategy]] = numbers[strategy];
    return column;
}

TermBuilder::Column TermBuilder::wanted(const Term &term, int v, const sharding::Need &need) {
    const PlacedOperation *operation = need.operand >= 0 ? placed(need.operation) : nullptr;
    if (operation != nullptr)
        return column(term, step_.operation_layers[need.operation].front(), operation->operands[need.operand]);
    if (need.operand >= 0 && is_passing(need.operation))
        return column(term, layers_of(need), [&] { return passing(need.operation).operands[need.operand]; });
    sharding::Reshards &reshards = cache_.reshards.of(graph_.values[v].extents);
    return column(term, layers_of(need),
                  [&] { return reshards.number(sharding::Copies(index_, mesh_, layers_, storage_).wanted(v, need)); });
}

TermBuilder::Column TermBuilder::origin(const Term &term, int v) {
    const int producer = graph_.values[v].producer;
    const PlacedOperation *operation = producer >= 0 ? placed(producer) : nullptr;
    if (operation != nullptr)
        return column(term, step_.operation_layers[producer].front(), operation->results[result_number(v)]);
    if (producer >= 0 && is_passing(producer))
        return column(term, sharding::layers_of_origin(index_, v),
                      [&, result = result_number(v)] { return passing(producer).results[result]; });
    sharding::Reshards &reshards = cache_.reshards.of(graph_.values[v].extents);
    return column(term, sharding::layers_of_origin(index_, v),
                  [&] { return reshards.number(sharding::Copies(index_, mesh_, layers_, storage_).origin(v)); });
}

const PlacedOperation *TermBuilder::placed(int o) {
    const sharding::Operation &operation = graph_.operations[o];
    if (index_.may_pass_partial[o])
        return nullptr;
    if (operation.parameter >= 0)
        return follows_layer(o) ? &following(o) : nullptr;
    const Strategies &options = *space_.options[operation.layer];
    const auto [known, is_new] = cache_.placed.try_emplace({step_.operation_kind[o], &options});
    PlacedOperation &placed = known->second;
    if (!is_new)
        return &placed;
    placed.operands.resize(operation.operands.size());
    placed.results.resize(operation.results.size());
    const auto number = [this](int value, const sharding::Placement &placement) {
        return cache_.reshards.of(graph_.values[value].extents).number(placement);
    };
    for (const LayerStrategy &option : options) {
        const sharding::Derived derived =
            sharding::derive(operation.nest, sharding::bind(option, operation.nest, mesh_), mesh_);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            placed.operands[i].push_back(number(operation.operands[i], derived.operands[i]));
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            placed.results[i].push_back(number(operation.results[i], derived.results[i]));
    }
    return &placed;
}

std::size_t TermBuilder::result_number(int v) const {
    const std::vector<int> &results = graph_.operations[graph_.values[v].producer].results;
    return static_cast<std::size_t>(std::find(results.begin(), results.end(), v) - results.begin());
}

/// Homes and updates are left to Copies, and so are long chains of sums.
bool TermBuilder::is_passing(int o) {
    return sums_above(o) <= longest_chain;
}

int TermBuilder::sums_above(int o) {
    constexpr int unknown = -1;
    sums_above_.resize(graph_.operations.size(), unknown);
    if (sums_above_[o] != unknown)
        return sums_above_[o];
    const sharding::Operation &operation = graph_.operations[o];
    int above = operation.parameter >= 0 || !index_.may_pass_partial[o] ? longest_chain + 1 : 1;
    for (int operand : operation.operands) {
        const int producer = graph_.values[operand].producer;
        if (producer < 0 || graph_.operations[producer].parameter >= 0)
            above = longest_chain + 1;
        else if (index_.may_pass_partial[producer])
            above = std::max(above, 1 + sums_above(producer));
    }
    return sums_above_[o] = above;
}

bool TermBuilder::follows_layer(int o) const {
    return graph_.operations[o].parameter >= 0 && !index_.may_pass_partial[o] && step_.operation_layers[o].size() == 1;
}

const PlacedOperation &TermBuilder::following(int o) {
    const int layer = step_.operation_layers[o].front();
    const Strategies &options = *space_.options[layer];
    const auto [known, is_new] = following_.try_emplace({step_.operation_kind[o], &options});
    PlacedOperation &placed_all = known->second;
    if (!is_new)
        return placed_all;
    const sharding::Operation &operation = graph_.operations[o];
    placed_all.operands.resize(operation.operands.size());
    placed_all.results.resize(operation.results.size());
    const sharding::Use &reader = index_.reader[index_.operation_anchor[o].root];
    const PlacedOperation *homes = reader.operation >= 0 ? placed(reader.operation) : nullptr;
    std::map<int, Numbers> by_home; // by number of the placement that the parameter's reader wants, else by strategy
    for (int strategy = 0; strategy < static_cast<int>(options.size()); ++strategy) {
        const auto [at, is_new_home] =
            by_home.try_emplace(homes != nullptr ? homes->operands[reader.operand][strategy] : strategy);
        if (is_new_home)
            at->second = following(o, layer, options[strategy]);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            placed_all.operands[i].push_back(at->second.operands[i]);
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            placed_all.results[i].push_back(at->second.results[i]);
    }
    return placed_all;
}

TermBuilder::Numbers TermBuilder::following(int o, int layer, const LayerStrategy &strategy) {
    const LayerStrategy chosen = std::exchange(layers_[layer], strategy);
    const sharding::Operation &operation = graph_.operations[o];
    sharding::Copies copies(index_, mesh_, layers_, storage_);
    const sharding::Derived &derived = copies.derived(o);
    const auto number = [this](int value, const sharding::Placement &placement) {
        return cache_.reshards.of(graph_.values[value].extents).number(placement);
    };
    Numbers numbers;
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        numbers.operands.push_back(number(operation.operands[i], derived.operands[i]));
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        numbers.results.push_back(number(operation.results[i], derived.results[i]));
    layers_[layer] = chosen;
    return numbers;
}

PartialSums TermBuilder::sums_of(int v) {
    const int producer = graph_.values[v].producer;
    const PlacedOperation *operation = placed(producer);
    const std::size_t result = result_number(v);
    const int number = operation != nullptr ? operation->results[result][chosen_[graph_.operations[producer].layer]]
                                            : passing(producer).results[result];
    const sharding::Reshards &reshards = cache_.reshards.of(graph_.values[v].extents);
    std::vector<PartialSums> &known = cache_.sums[&reshards];
    if (known.size() <= static_cast<std::size_t>(number))
        known.resize(static_cast<std::size_t>(number) + 1);
    PartialSums &sums = known[number];
    if (!sums.known) {
        const sharding::Placement &placement = reshards.placement(number);
        sums = {true, 0, planrt::largest_volume(placement, mesh_)};
        for (int axis : placement.partial)
            sums.axes |= placement.reduction == planrt::Reduction::sum ? std::uint32_t{1} << axis : 0;
    }
    return sums;
}

/// As sharding::Copies derives them: sums pass over the axes that all operands have partial and that cut nothing,
/// unless a result would be larger than the smallest operand.
const PassingOperation::Placed &TermBuilder::passing(int o) {
    const sharding::Operation &operation = graph_.operations[o];
    const Strategies &options = *space_.options[operation.layer];
    PassingOperation &known = cache_.passing[{step_.operation_kind[o], &options}];
    const int chosen = chosen_[operation.layer];
    if (known.free.empty())
        for (const LayerStrategy &option : options) {
            const sharding::Strategy strategy = sharding::bind(option, operation.nest, mesh_);
            std::uint32_t &free = known.free.emplace_back();
            for (std::size_t axis = 0; axis < mesh_.sizes.size(); ++axis)
                free |= strategy.loop_of_axis[axis] < 0 ? std::uint32_t{1} << axis : 0;
        }
    std::uint32_t axes = known.free[chosen];
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (int operand : operation.operands) {
        const PartialSums sums = sums_of(operand);
        axes &= sums.axes;
        smallest = std::min(smallest, sums.largest);
    }
    const auto placed_with = [&](std::uint32_t set) -> const PassingOperation::Placed & {
        const auto [at, is_new] = known.placed.try_emplace({chosen, set});
        PassingOperation::Placed &placed = at->second;
        if (!is_new)
            return placed;
        std::vector<int> partial;
        for (int axis = 0; axis < static_cast<int>(mesh_.sizes.size()); ++axis)
            if (set >> axis & 1)
                partial.push_back(axis);
        const sharding::Derived derived =
            sharding::derive(operation.nest, sharding::bind(options[chosen], operation.nest, mesh_), mesh_, partial);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            placed.operands.push_back(
                cache_.reshards.of(graph_.values[operation.operands[i]].extents).number(derived.operands[i]));
        for (std::size_t i = 0; i < operation.results.size(); ++i) {
            placed.results.push_back(
                cache_.reshards.of(graph_.values[operation.results[i]].extents).number(derived.results[i]));
            placed.largest = std::max(placed.largest, planrt::largest_volume(derived.results[i], mesh_));
        }
        return placed;
    };
    const PassingOperation::Placed &placed = placed_with(axes);
    return axes != 0 && placed.largest > smallest ? placed_with(0) : placed;
}

bool TermBuilder::depends_on_storage(int v) const {
    return graph_.values[v].kind == sharding::ValueKind::variable || index_.stored_in[v] >= 0 ||
           (graph_.values[v].producer >= 0 && graph_.operations[graph_.values[v].producer].parameter >= 0) ||
           std::any_of(index_.uses[v].begin(), index_.uses[v].end(),
                       [this](const sharding::Use &use) { return graph_.operations[use.operation].parameter >= 0; });
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

void TermBuilder::add_operation(int o) {
    std::string key = "operation " + std::to_string(step_.operation_kind[o]);
    if (graph_.operations[o].parameter >= 0)
        key += storage_text();
    add(scoped(of_operation(o), step_.operation_layers[o], key), key,
        [&](const Term &term, TermTable &table) { price_operation(o, term, table); });
}

Term TermBuilder::scoped(const Scope &scope, const std::vector<int> &layers, std::string &key) {
    Term term;
    term.layers = layers;
    for (int layer : layers) {
        term.class_of.push_back(classes(scope, layer));
        term.classes.push_back(1 + *std::max_element(term.class_of.back()->begin(), term.class_of.back()->end()));
        key += '|';
        key += std::to_string(reinterpret_cast<std::uintptr_t>(term.class_of.back().get()));
    }
    return term;
}

double TermBuilder::entries(const Term &term) {
    return std::accumulate(term.classes.begin(), term.classes.end(), 1.0, std::multiplies<>());
}

void TermBuilder::price_operation(int o, const Term &term, TermTable &table) {
    const sharding::Operation &operation = graph_.operations[o];
    const double times = operation.per_step ? 1 : graph_.microbatches;
    for_each(term, all(term), [&](const std::vector<int> &) {
        const sharding::Strategy strategy = operation.parameter < 0
                                                ? sharding::bind(layers_[operation.layer], operation.nest, mesh_)
                                                : sharding::strategy_of(index_, mesh_, layers_, o, storage_);
        table.prices.seconds.push_back(
            times * cost::seconds_under(strategy, graph_, operation, step_.fusion[o], mesh_, machine_).value);
    });
}

void TermBuilder::add_value(int v) {
    std::string key = "value " + std::to_string(step_.value_kind[v]);
    if (depends_on_storage(v))
        key += storage_text();
    Term term = scoped(of_value(v), step_.value_layers[v], key);
    term.life = step_.lives[v];
    if (entries(term) > largest_term)
        objective_.left_out.push_back(v);
    else
        add(std::move(term), key, [&](const Term &priced, TermTable &table) { price_value(v, priced, table); });
}

void TermBuilder::price_value(int v, const Term &term, TermTable &table) {
    const bool stored = step_.residences[v] != cost::Residence::in_place;
    ValuePrices prices(index_, mesh_, cache_.reshards, cache_.prices, v, step_.residences[v]);
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

/// The bit of a bucket's set of axes; 0 where there are no bits left: then its latency is never counted.
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
    const std::vector<double> &seconds = table.prices.seconds;
    return table.prices.bytes.empty() && table.fused.empty() &&
           std::all_of(seconds.begin(), seconds.end(), [](double s) { return s == 0; });
}

void TermBuilder::choose(int layer, int strategy) {
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

std::shared_ptr<const std::vector<int>> TermBuilder::classes(const Scope &scope, int layer) {
    const auto place = std::lower_bound(scope.layers.begin(), scope.layers.end(), layer) - scope.layers.begin();
    std::shared_ptr<const std::vector<int>> &known =
        cache_.of_kind[{scope.kind, static_cast<std::size_t>(place), space_.options[layer].get()}];
    if (!known)
        known = classes(scope.structure, layer);
    return known;
}

/// Strategies of a layer that bind the loops that matter alike are one class. Equal lists are one object.
std::shared_ptr<const std::vector<int>> TermBuilder::classes(const Structure &structure, int layer) {
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(space_.options[layer].get()));
    std::vector<std::pair<int, const std::set<int> *>> operations;
    for (const auto &[o, loops] : structure.operations()) {
        const sharding::Operation &operation = graph_.operations[o];
        if (operation.layer != layer || operation.parameter >= 0)
            continue;
        operations.emplace_back(o, &loops);
        key += ";";
        for (int loop : loops)
            key += operation.nest.loops[loop].name + ",";
    }
    auto &known = cache_.classes[key];
    if (known)
        return known;
    std::map<std::vector<int>, int> ids;
    auto result = std::make_shared<std::vector<int>>();
    for (const LayerStrategy &option : *space_.options[layer]) {
        std::vector<int> signature;
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
    return known = std::move(result);
}

} // namespace planc::plan
