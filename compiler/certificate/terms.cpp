#include "certificate/terms.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace planc::certificate {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 16; ///< of a table
constexpr std::size_t most_combinations = 1 << 16; ///< of groups of strategies of layers that decide one placement

constexpr std::size_t too_many = std::size_t{1} << 32;

/// Of more than too_many, this: the strategies of many layers have more combinations than a number holds.
std::size_t product(const std::vector<int> &sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, [](std::size_t all, int size) {
        return std::min(all * static_cast<std::size_t>(size), too_many);
    });
}

std::size_t place(const std::vector<LayerId> &layers, LayerId layer) {
    return static_cast<std::size_t>(std::find(layers.begin(), layers.end(), layer) - layers.begin());
}

/// Row-major strides for the layers among `of`; 0 for the others.
std::vector<int> strides(const std::vector<LayerId> &layers, const std::vector<LayerId> &of,
                         const std::vector<int> &sizes) {
    std::vector<int> result(layers.size(), 0);
    int stride = 1;
    for (std::size_t i = layers.size(); i-- > 0;)
        if (std::binary_search(of.begin(), of.end(), layers[i])) {
            result[i] = stride;
            stride *= sizes[i];
        }
    return result;
}

/// What those of the layers have that are among `of`.
template <class T>
std::vector<T> chosen(const std::vector<T> &all, const std::vector<LayerId> &layers, const std::vector<LayerId> &of) {
    std::vector<T> result;
    for (const LayerId layer : of)
        result.push_back(all[place(layers, layer)]);
    return result;
}

/// Numbers the distinct signatures in order of appearance.
int number_distinct(const std::vector<std::vector<int>> &signatures, std::vector<int> &class_of,
                    std::vector<int> &examples) {
    std::map<std::vector<int>, int> known;
    for (std::size_t i = 0; i < signatures.size(); ++i) {
        const auto [at, is_new] = known.emplace(signatures[i], static_cast<int>(known.size()));
        class_of.push_back(at->second);
        if (is_new)
            examples.push_back(static_cast<int>(i));
    }
    return static_cast<int>(known.size());
}

/// The distinct values among some numbers, and for each number which one it is.
struct Distinct {
    explicit Distinct(const std::vector<int> &all) {
        std::map<int, std::size_t> known;
        for (int number : all) {
            const auto [at, is_new] = known.emplace(number, known.size());
            if (is_new)
                numbers.push_back(number);
            place.push_back(at->second);
        }
    }
    std::vector<int> numbers;
    std::vector<std::size_t> place;
};

/// The pairs of classes that occur among the strategies of a layer, numbered in order of appearance.
struct Pairs {
    Pairs(const std::vector<int> &first, const std::vector<int> &second) {
        std::unordered_map<std::int64_t, int> numbers;
        for (std::size_t i = 0; i < first.size(); ++i) {
            const std::int64_t pair = (static_cast<std::int64_t>(first[i]) << 32) | second[i];
            const auto [known, is_new] = numbers.emplace(pair, static_cast<int>(numbers.size()));
            class_of.push_back(known->second);
            if (!is_new)
                continue;
            first_of.push_back(first[i]);
            second_of.push_back(second[i]);
        }
    }
    std::vector<int> class_of;
    std::vector<int> first_of; ///< by class
    std::vector<int> second_of;
};

/// Adds the piece to the factor, whose classes become finer. False: the table would become too large.
bool add(Factor &factor, const std::vector<LayerId> &layers, const std::shared_ptr<Piece> &piece) {
    std::vector<Pairs> pairs; // per layer of the piece
    std::vector<std::size_t> places;
    std::vector<int> classes = factor.classes;
    for (std::size_t own = 0; own < layers.size(); ++own) {
        const std::size_t i = places.emplace_back(place(factor.layers, layers[own]));
        pairs.emplace_back(factor.class_of[i], piece->class_of[own]);
        classes[i] = static_cast<int>(pairs.back().first_of.size());
    }
    if (product(classes) > most_entries)
        return false;
    Factor::Part added{piece, {}};
    for (const int count : classes)
        added.offset.emplace_back(count, 0);
    std::size_t stride = 1;
    for (std::size_t own = layers.size(); own-- > 0;) {
        const std::size_t i = places[own];
        const Pairs &of_layer = pairs[own];
        for (std::size_t c = 0; c < of_layer.second_of.size(); ++c)
            added.offset[i][c] = stride * static_cast<std::size_t>(of_layer.second_of[c]);
        stride *= static_cast<std::size_t>(piece->classes[own]);
        for (Factor::Part &part : factor.parts) {
            std::vector<std::size_t> &offset = part.offset[i];
            std::vector<std::size_t> finer;
            for (const int coarse : of_layer.first_of)
                finer.push_back(offset[coarse]);
            offset = std::move(finer);
        }
        factor.class_of[i] = of_layer.class_of;
    }
    factor.classes = std::move(classes);
    factor.parts.push_back(std::move(added));
    return true;
}

} // namespace

std::vector<int> classes_of(std::size_t entry, const std::vector<int> &sizes) {
    std::vector<int> at(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0; entry /= static_cast<std::size_t>(sizes[i]))
        at[i] = static_cast<int>(entry % static_cast<std::size_t>(sizes[i]));
    return at;
}

void Factor::refresh() {
    seconds.assign(product(classes), 0.0);
    for (const Part &part : parts) {
        const std::vector<std::size_t> places = sums_of_entries(part.offset);
        for (std::size_t entry = 0; entry < seconds.size(); ++entry)
            seconds[entry] += part.piece->seconds[places[entry]];
    }
}

Terms::Terms(const StepScopes &step, Pricing &pricing, const Storage &storage, double byte_limit,
             const PerLayer<Strategies> &options)
    : step_(step), graph_(step.kinds.index.graph), byte_limit_(byte_limit), options_(options), pricing_(pricing),
      storage_(storage), none_{std::vector<std::string>(pricing.mesh().sizes.size()), {}},
      layers_(options.size(), none_), chosen_(options.size(), 0), lies_(graph_.values.size(), 0) {
    std::map<std::vector<std::string>, int> known;
    for (const Strategies &of_layer : options_) {
        std::vector<std::string> text;
        for (const LayerStrategy &strategy : of_layer) {
            text.insert(text.end(), strategy.loop_of_axis.begin(), strategy.loop_of_axis.end());
            for (int axis : strategy.order)
                text.push_back(std::to_string(axis));
            text.emplace_back(";");
        }
        kind_of_options_.push_back(known.emplace(std::move(text), static_cast<int>(known.size())).first->second);
    }
    weigh({});
}

void Terms::weigh(const Weights &weights) {
    pricing_.weigh(weights);
    price_alone();
    for (const auto &[call, occurs] : weights.occurs)
        constant_ += occurs ? pricing_.latency(call) : 0;
}

/// Layers with the same operations and values, equal weights and the same strategies are priced once.
void Terms::price_alone() {
    constant_ = of_memory();
    PerLayer<std::vector<OperationId>> operations(options_.size());
    PerLayer<std::vector<ValueId>> values(options_.size());
    const sharding::GraphIndex &index = step_.kinds.index;
    sharding::Copies whatever = copies(layers_);
    for (const OperationId o : graph_.operations.ids()) {
        const std::vector<LayerId> layers = sharding::layers_of_strategy(index, o);
        if (layers.empty())
            constant_ += pricing_.seconds(o, whatever);
        else if (layers.size() == 1)
            operations[layers[0]].push_back(o);
    }
    for (const ValueId v : graph_.values.ids()) {
        const std::vector<LayerId> &layers = step_.layers[v];
        if (layers.empty()) {
            constant_ += pricing_.seconds(v, pricing_.numbers(v, whatever));
        } else if (layers.size() == 1) {
            values[layers[0]].push_back(v);
        }
    }
    std::map<std::vector<int>, std::vector<double>> known;
    alone_.clear();
    for (const LayerId l : options_.ids()) {
        std::vector<int> key{kind_of_options_[l]};
        for (const OperationId o : operations[l])
            key.push_back(step_.kinds.of_operation[o]);
        key.push_back(-1);
        for (const ValueId v : values[l])
            key.push_back(pricing_.kind(v));
        const auto [at, is_new] = known.try_emplace(std::move(key));
        if (is_new)
            at->second = alone(l, operations[l], values[l]);
        alone_.push_back(at->second);
    }
}

double Terms::of_memory() const {
    const double price = pricing_.weights().seconds_per_byte;
    return price > 0 ? -price * byte_limit_ : 0;
}

std::vector<double> Terms::alone(LayerId layer, const std::vector<OperationId> &operations,
                                 const std::vector<ValueId> &values) {
    std::vector<int> key{kind_of_options_[layer]};
    for (const OperationId o : operations)
        key.push_back(step_.kinds.of_operation[o]);
    key.push_back(-1);
    for (const ValueId v : values)
        key.push_back(step_.kinds.of_value[v]);
    const auto [known, is_new] = placed_.try_emplace(std::move(key));
    if (is_new)
        for (const LayerStrategy &strategy : options_[layer])
            known->second.push_back(placed(layer, strategy, operations, values));
    std::vector<double> result;
    for (const Placed &under : known->second) {
        double seconds = under.computation;
        for (std::size_t i = 0; i < values.size(); ++i)
            seconds += pricing_.seconds(values[i], under.numbers[i]);
        result.push_back(seconds);
    }
    return result;
}

Terms::Placed Terms::placed(LayerId layer, const LayerStrategy &strategy, const std::vector<OperationId> &operations,
                            const std::vector<ValueId> &values) {
    layers_[layer] = strategy;
    sharding::Copies under = copies(layers_);
    Placed result;
    for (const OperationId o : operations)
        result.computation += pricing_.seconds(o, under);
    for (const ValueId v : values)
        result.numbers.push_back(pricing_.numbers(v, under));
    layers_[layer] = none_;
    return result;
}

const std::vector<int> &Terms::numbers(ValueId value, std::size_t need, LayerId layer) {
    const auto [known, is_new] = numbers_.try_emplace({step_.kinds.of_value[value], need, kind_of_options_[layer]});
    if (is_new) {
        for (const LayerStrategy &strategy : options_[layer]) {
            layers_[layer] = strategy;
            sharding::Copies under = copies(layers_);
            known->second.push_back(pricing_.number(value, need, under));
        }
        layers_[layer] = none_;
    }
    return known->second;
}

std::vector<Factor> Terms::factors(const Kept &kept, bool whole) {
    std::vector<PlacedPiece> all;
    for (const ValueId v : graph_.values.ids())
        if (step_.layers[v].size() > 1)
            for (PlacedPiece &placed : pieces(v, kept, whole))
                all.push_back(std::move(placed));
    std::stable_sort(all.begin(), all.end(),
                     [](const PlacedPiece &a, const PlacedPiece &b) { return a.first.size() > b.first.size(); });
    std::vector<Factor> factors;
    PerLayer<std::vector<std::size_t>> of_layer(kept.size());
    for (const PlacedPiece &placed : all) {
        const std::vector<LayerId> &layers = placed.first;
        const std::vector<std::size_t> &candidates = of_layer[layers[0]];
        const bool added = std::any_of(candidates.begin(), candidates.end(), [&](std::size_t f) {
            return std::includes(factors[f].layers.begin(), factors[f].layers.end(), layers.begin(), layers.end()) &&
                   add(factors[f], layers, placed.second);
        });
        if (added)
            continue;
        for (const LayerId layer : layers)
            of_layer[layer].push_back(factors.size());
        Factor &factor = factors.emplace_back();
        factor.layers = layers;
        for (const LayerId layer : layers) {
            factor.class_of.emplace_back(kept[layer].size(), 0);
            factor.classes.push_back(1);
        }
        add(factor, layers, placed.second);
    }
    for (Factor &factor : factors)
        factor.refresh();
    return factors;
}

std::vector<Terms::PlacedPiece> Terms::pieces(ValueId value, const Kept &kept, bool whole) {
    const std::vector<Derivation> &placements = step_.of_placement[value];
    std::vector<std::size_t> all(step_.needs[value].size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (whole)
        if (std::shared_ptr<Piece> found = piece(value, all, step_.layers[value], 1, kept)) {
            found->whole = true;
            return {{step_.layers[value], std::move(found)}};
        }
    if (graph_.values[value].kind == sharding::ValueKind::free)
        return {};
    std::map<std::vector<LayerId>, std::vector<std::size_t>> by_layers;
    for (std::size_t need : all) {
        std::vector<LayerId> both;
        std::set_union(placements[need].layers.begin(), placements[need].layers.end(), placements.back().layers.begin(),
                       placements.back().layers.end(), std::back_inserter(both));
        if (both.size() == 2)
            by_layers[both].push_back(need);
    }
    std::vector<PlacedPiece> result;
    for (const auto &[layers, needs] : by_layers)
        if (std::shared_ptr<Piece> found = piece(value, needs, layers, 1 / static_cast<double>(by_layers.size()), kept))
            result.emplace_back(layers, std::move(found));
    return result;
}

int Terms::kept_kind(const Kept &kept, LayerId layer) {
    return kept_kinds_.emplace(std::pair(kind_of_options_[layer], kept[layer]), static_cast<int>(kept_kinds_.size()))
        .first->second;
}

/// Tells strategies of a layer apart by what placements read of them: where an operand lies, or the strategy itself.
void Terms::tell_apart(ValueId value, std::size_t need, LayerId layer, const std::vector<int> &kept,
                       std::vector<std::vector<int>> &signatures) {
    const Derivation &from = step_.of_placement[value][need];
    const auto put = [&](const std::vector<int> &of_all) {
        for (std::size_t x = 0; x < kept.size(); ++x)
            signatures[x].push_back(of_all[kept[x]]);
    };
    const auto is_the_only = [&](const Derivation &each) { return each.layers == std::vector<LayerId>{layer}; };
    if (is_the_only(from))
        return put(numbers(value, need, layer));
    const auto tell_by = [&](const Derivation &each) {
        if (std::find(each.strategies.begin(), each.strategies.end(), layer) != each.strategies.end())
            for (std::size_t x = 0; x < kept.size(); ++x)
                signatures[x].push_back(kept[x]);
        for (const ValueId operand : each.operands)
            if (is_the_only(step_.of_placement[operand].back()))
                put(numbers(operand, step_.needs[operand].size(), layer));
    };
    tell_by(from);
    for (const ValueId passing : from.passing)
        tell_by(step_.of_placement[passing].back());
}

/// The number of a need under the chosen strategies. `lies_` has those of the passing operands.
int Terms::number(ValueId value, std::size_t need) {
    const Derivation &from = step_.of_placement[value][need];
    if (from.layers.size() == 1)
        return numbers(value, need, from.layers[0])[chosen_[from.layers[0]]];
    std::vector<int> key{step_.kinds.of_value[value], static_cast<int>(need)};
    for (const LayerId layer : from.strategies) {
        key.push_back(kind_of_options_[layer]);
        key.push_back(chosen_[layer]);
    }
    for (const ValueId operand : from.operands)
        key.push_back(step_.of_placement[operand].back().layers.size() > 1
                          ? lies_[operand]
                          : number(operand, step_.needs[operand].size()));
    const auto [known, is_new] = derived_.try_emplace(std::move(key));
    if (is_new) {
        for (const LayerId layer : from.layers)
            layers_[layer] = options_[layer][static_cast<std::size_t>(chosen_[layer])];
        sharding::Copies under = copies(layers_);
        known->second = pricing_.number(value, need, under);
        for (const LayerId layer : from.layers)
            layers_[layer] = none_;
    }
    return known->second;
}

/// The numbers of a need under these strategies of the layers that decide it, row-major.
std::vector<int> Terms::combinations(ValueId value, std::size_t need, const std::vector<std::vector<int>> &of_layers) {
    const Derivation &from = step_.of_placement[value][need];
    std::vector<int> sizes;
    for (const std::vector<int> &of_layer : of_layers)
        sizes.push_back(static_cast<int>(of_layer.size()));
    std::vector<int> result;
    for_entries(sizes, [&](std::size_t, const std::vector<int> &at) {
        for (std::size_t i = 0; i < at.size(); ++i)
            chosen_[from.layers[i]] = of_layers[i][static_cast<std::size_t>(at[i])];
        for (const ValueId operand : from.passing)
            lies_[operand] = number(operand, step_.needs[operand].size());
        result.push_back(number(value, need));
    });
    return result;
}

std::shared_ptr<Piece> Terms::piece(ValueId value, const std::vector<std::size_t> &needs,
                                    const std::vector<LayerId> &layers, double share, const Kept &kept) {
    const bool whole = needs.size() == step_.needs[value].size() && layers == step_.layers[value];
    std::vector<int> key{whole ? pricing_.kind(value) : step_.kinds.of_value[value], whole ? 1 : 0};
    for (std::size_t need : needs)
        key.push_back(static_cast<int>(need));
    for (const LayerId layer : layers)
        key.push_back(-1 - kept_kind(kept, layer));
    const auto known = known_.find(key);
    if (known != known_.end())
        return known->second;

    auto result = std::make_shared<Piece>();
    result->value = value;
    std::vector<std::size_t> columns = needs;
    columns.push_back(step_.needs[value].size());
    classify(*result, columns, layers, kept);
    if (result->classes.empty() || product(result->classes) > most_entries)
        result = nullptr;
    else
        bound(*result, share);
    return known_[key] = std::move(result);
}

/// Finds classes and columns. No classes: too many layers determine a placement. Of strategies that are read alike, one
/// is placed.
void Terms::classify(Piece &piece, const std::vector<std::size_t> &columns, const std::vector<LayerId> &layers,
                     const Kept &kept) {
    std::vector<std::vector<int>> group_of(layers.size()); // per layer and kept strategy
    std::vector<std::vector<int>> placed(layers.size());   // per layer and group: a strategy
    std::vector<int> sizes;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::vector<int> &of_layer = kept[layers[i]];
        std::vector<std::vector<int>> read(of_layer.size());
        for (const std::size_t need : columns)
            tell_apart(piece.value, need, layers[i], of_layer, read);
        sizes.push_back(number_distinct(read, group_of[i], placed[i]));
        for (int &each : placed[i])
            each = of_layer[each];
    }
    for (const std::size_t need : columns)
        if (product(chosen(sizes, layers, step_.of_placement[piece.value][need].layers)) > most_combinations)
            return;
    std::vector<std::vector<int>> numbers; // per column, by groups
    std::vector<std::vector<std::vector<int>>> signatures;
    for (const int size : sizes)
        signatures.emplace_back(size);
    for (const std::size_t need : columns) {
        const std::vector<LayerId> &deciding = step_.of_placement[piece.value][need].layers;
        numbers.push_back(combinations(piece.value, need, chosen(placed, layers, deciding)));
        for_entries(chosen(sizes, layers, deciding), [&](std::size_t entry, const std::vector<int> &at) {
            for (std::size_t i = 0; i < deciding.size(); ++i)
                signatures[place(layers, deciding[i])][at[i]].push_back(numbers.back()[entry]);
        });
    }
    std::vector<std::vector<int>> examples(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        std::vector<int> class_of_group;
        piece.classes.push_back(number_distinct(signatures[i], class_of_group, examples[i]));
        std::vector<int> &class_of = piece.class_of.emplace_back();
        for (const int group : group_of[i])
            class_of.push_back(class_of_group[group]);
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::vector<LayerId> &deciding = step_.of_placement[piece.value][columns[c]].layers;
        const std::vector<int> of_group = strides(layers, deciding, sizes);
        Piece::Column &column = piece.columns.emplace_back();
        column.strides = strides(layers, deciding, piece.classes);
        for_entries(chosen(piece.classes, layers, deciding), [&](std::size_t, const std::vector<int> &at) {
            int entry = 0;
            for (std::size_t i = 0; i < at.size(); ++i) {
                const std::size_t p = place(layers, deciding[i]);
                entry += of_group[p] * examples[p][at[i]];
            }
            column.numbers.push_back(numbers[c][entry]);
        });
    }
}

/// Bounds every entry by what must at least be moved.
void Terms::bound(Piece &piece, double share) {
    piece.exact.assign(product(piece.classes), false);
    piece.seconds.assign(piece.exact.size(), 0.0);
    if (graph_.values[piece.value].kind == sharding::ValueKind::free)
        return;
    const Piece::Column &origin = piece.columns.back();
    const Distinct from(origin.numbers);
    for (std::size_t need = 0; need + 1 < piece.columns.size(); ++need) {
        const Piece::Column &wanted = piece.columns[need];
        const Distinct to(wanted.numbers);
        std::vector<double> least;
        for (int a : from.numbers)
            for (int b : to.numbers)
                least.push_back(share * pricing_.least(piece.value, a, b));
        for_entries(piece.classes, [&](std::size_t entry, const std::vector<int> &at) {
            const std::size_t a = from.place[origin.at(at)];
            piece.seconds[entry] =
                std::max(piece.seconds[entry], least[a * to.numbers.size() + to.place[wanted.at(at)]]);
        });
    }
}

std::size_t Piece::Column::at(const std::vector<int> &entry) const {
    return std::inner_product(entry.begin(), entry.end(), strides.begin(), std::size_t{0});
}

std::vector<int> Piece::numbers(const std::vector<int> &at) const {
    std::vector<int> result;
    for (const Column &column : columns)
        result.push_back(column.numbers[column.at(at)]);
    return result;
}

bool Terms::price(Factor &factor, std::size_t entry, const std::vector<int> &classes) {
    double sum = 0;
    for (const Factor::Part &part : factor.parts) {
        Piece &piece = *part.piece;
        std::size_t own = 0;
        for (std::size_t i = 0; i < classes.size(); ++i)
            own += part.offset[i][classes[i]];
        if (piece.whole && !piece.exact[own]) {
            piece.seconds[own] = pricing_.seconds(piece.value, piece.numbers(classes_of(own, piece.classes)));
            piece.exact[own] = true;
            ++priced_;
        }
        sum += piece.seconds[own];
    }
    const bool changed = sum != factor.seconds[entry];
    factor.seconds[entry] = sum;
    return changed;
}

} // namespace planc::certificate
