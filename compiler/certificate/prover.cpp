#include "certificate/prover.h"

#include "certificate/sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace planc::certificate {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_rounds = 8;
constexpr int most_pricings = 12;     ///< of entries that turn out to matter, within a round
constexpr double at_once = 0.1;       ///< of the way to the target: what is priced before messages are improved again
constexpr double most_work = 3e8;     ///< entries, after which nothing is told apart any more
constexpr double work_of_value = 200; ///< to weigh a value anew, as so many entries
constexpr double work_of_derivation = 250; ///< of a placement
constexpr double precision = 1e-10;        ///< of the bound, that the units of messages may cost
constexpr double worthwhile = 1e-3;        ///< part of the remaining gap that more pricing or a further round must gain
constexpr double coarsest = 1e-3;          ///< unit of messages, of the cost

Kept all_of(const PerLayer<Strategies> &options) {
    Kept kept;
    for (const Strategies &of_layer : options) {
        kept.emplace_back(of_layer.size());
        std::iota(kept.back().begin(), kept.back().end(), 0);
    }
    return kept;
}

/// The strategies with which a plan could take less than `target`.
Kept remaining(const Kept &kept, const Bounds &bounds, double target) {
    Kept result(kept.size());
    for (const LayerId l : kept.ids())
        for (std::size_t x = 0; x < kept[l].size(); ++x)
            if (bounds.of[l][x] < target)
                result[l].push_back(kept[l][x]);
    return result;
}

/// Rounds to whole units. A factor may keep what it gives to all classes alike.
void round_to(double unit, double most, const Messages &messages, Round &round) {
    round.unit = unit;
    for (const auto &of_factor : messages)
        for (const std::vector<double> &message : of_factor) {
            std::vector<std::int64_t> &rounded = round.messages.emplace_back();
            const double least = *std::min_element(message.begin(), message.end());
            for (double seconds : message)
                rounded.push_back(std::llround(std::min(seconds - least, most) / unit));
            if (std::all_of(rounded.begin(), rounded.end(), [](std::int64_t each) { return each == 0; }))
                rounded.clear();
        }
}

/// The plan that is left where is_one().
LayerStrategies layers_of(const Kept &kept, const PerLayer<Strategies> &options) {
    LayerStrategies layers;
    for (const LayerId l : kept.ids())
        layers.push_back(options[l][static_cast<std::size_t>(kept[l][0])]);
    return layers;
}

/// The layer whose second-best strategy has the highest bound.
LayerId most_telling(const Kept &kept, const Bounds &bounds) {
    LayerId best;
    double highest = -infinity;
    for (const LayerId l : kept.ids()) {
        std::vector<double> of = bounds.of[l];
        if (of.size() < 2)
            continue;
        std::nth_element(of.begin(), of.begin() + 1, of.end());
        if (of[1] > highest) {
            highest = of[1];
            best = l;
        }
    }
    return best;
}

} // namespace

Prover::Prover(Terms &terms, const plan::Request &request, double target, std::optional<OperationId> short_at)
    : terms_(terms), request_(request), target_(target), enough_(target * (1 - 2 * precision)),
      memory_is_short_(short_at.has_value()), operation_(short_at.value_or(OperationId())) {}

void Prover::run(const LayerStrategies &layers, Part &part) {
    std::vector<Open> open;
    part.lower_bound = target_;
    open.push_back({-1, all_of(terms_.options()), -infinity, {}, layers});
    while (!open.empty()) {
        const auto least =
            std::min_element(open.begin(), open.end(), [](const Open &a, const Open &b) { return a.bound < b.bound; });
        if (least->bound >= part.lower_bound || (work_ > most_work && !part.nodes.empty())) {
            part.lower_bound = std::min(part.lower_bound, least->bound);
            return; // the nodes above prove as much
        }
        Open next = std::move(*least);
        open.erase(least);
        part.lower_bound = std::min(part.lower_bound, expand(std::move(next), part, open));
    }
}

double Prover::expand(Open open, Part &part, std::vector<Open> &all) {
    const int number = static_cast<int>(part.nodes.size());
    part.nodes.emplace_back();
    if (open.above >= 0)
        part.nodes[open.above].branches.push_back({{open.strategy}, number});
    if (is_one(open.kept))
        return price_of_one(open.kept, part, request_, terms_.options());
    weigh(open.kept, open.layers, open.weights);
    part.nodes[number].weights = open.weights;
    const Bounds found = prove(open.kept, open.above < 0, part.nodes[number].rounds);
    if (found.total >= enough_ || work_ > most_work)
        return found.total;
    if (is_one(open.kept)) { // a node of its own
        Open last{number, open.kept, found.total, open.weights, open.layers, open.kept[LayerId(0)][0]};
        part.nodes[number].layer = LayerId(0);
        all.push_back(std::move(last));
        return infinity;
    }
    if (const std::optional<SharedCall> call = costliest_call(open.weights)) {
        part.nodes[number].call = call;
        for (const bool occurs : {false, true}) {
            Open &further =
                all.emplace_back(Open{number, open.kept, found.total, open.weights, {}, static_cast<int>(occurs)});
            further.weights.occurs[*call] = occurs;
            further.weights.penalty = target_;
        }
        return infinity;
    }
    const LayerId layer = most_telling(open.kept, found);
    part.nodes[number].layer = layer;
    const LayerStrategies next = promising(open.kept, found);
    for (std::size_t x = 0; x < open.kept[layer].size(); ++x) {
        Open &further = all.emplace_back(Open{number, open.kept, std::max(found.of[layer][x], found.total),
                                              open.weights, next, open.kept[layer][x]});
        further.kept[layer] = {further.strategy};
        further.layers[layer] = terms_.options()[layer][static_cast<std::size_t>(further.strategy)];
    }
    return infinity;
}

void Prover::weigh(const Kept &kept, const LayerStrategies &layers, Weights &weights) {
    if (!layers.empty())
        weights.latency = shared_calls(layers);
    weigh_terms(weights);
    Bounds found = glance(kept);
    if (layers.empty() && found.total < enough_) {
        weights.latency = shared_calls(promising(kept, found));
        weigh_terms(weights);
        found = glance(kept);
    }
    if (memory_is_short_ && found.total < enough_)
        price_memory(kept, weights);
}

Bounds Prover::glance(const Kept &kept) {
    std::vector<Factor> factors = terms_.factors(kept, false);
    Messages messages = zero_messages(factors);
    sweep_and_count(kept, factors, messages);
    return bounds(terms_, kept, factors, messages, false, target_);
}

void Prover::sweep_and_count(const Kept &kept, const std::vector<Factor> &factors, Messages &messages) {
    double entries = 0;
    for (const Factor &factor : factors)
        entries += static_cast<double>(factor.seconds.size() * factor.layers.size());
    work_ += entries * 2 * sweep(terms_, kept, factors, target_, messages);
}

LayerStrategies Prover::promising(const Kept &kept, const Bounds &found) const {
    return layers_of(most_promising(kept, found), terms_.options());
}

/// Of the calls that values share and about which no branch says anything.
std::optional<SharedCall> Prover::costliest_call(const Weights &weights) {
    std::optional<SharedCall> result;
    double most = 0;
    for (const auto &[call, values] : weights.latency)
        if (!call.update && values.size() > 1 && !weights.occurs.contains(call))
            if (const double seconds = terms_.pricing().latency(call); seconds > most) {
                most = seconds;
                result = call;
            }
    return result;
}

/// The participants of calls that several values share.
std::map<SharedCall, std::vector<ValueId>> Prover::shared_calls(const LayerStrategies &layers) {
    std::map<SharedCall, std::vector<ValueId>> result;
    Pricing &pricing = terms_.pricing();
    sharding::Copies copies = terms_.copies(layers);
    for (const ValueId v : pricing.graph().values.ids())
        for (const auto &[call, latency] : pricing.price(v, pricing.numbers(v, copies)).shared)
            if (std::vector<ValueId> &values = result[call]; values.empty() || values.back() != v)
                values.push_back(v);
    return result;
}

void Prover::weigh_terms(const Weights &weights) {
    terms_.weigh(weights);
    work_ += work_of_value * static_cast<double>(terms_.pricing().graph().values.size());
}

/// Finds the price of memory with the best bound; bounds are concave in it.
void Prover::price_memory(const Kept &kept, Weights &weights) {
    Weights free = weights;
    free.seconds_per_byte = 0;
    const auto at = [&](double exponent) {
        weights.operation = operation_;
        weights.seconds_per_byte = target_ / terms_.byte_limit() * std::pow(2, exponent);
        weigh_terms(weights);
        return glance(kept).total;
    };
    double low = -16;
    double high = 16;
    while (high - low > 0.25) {
        const double third = (high - low) / 3;
        const double below = at(low + third);
        if (below >= enough_)
            return;
        if (below < at(high - third))
            low += third;
        else
            high -= third;
    }
    const double found = at((low + high) / 2);
    weigh_terms(free);
    if (glance(kept).total < found)
        weigh_terms(weights);
    else
        weights = free;
}

/// Runs rounds as long as they prune something and raise the bound.
Bounds Prover::prove(Kept &kept, bool coarsely_first, std::vector<Round> &rounds) {
    double before = -infinity; // the bound of the round before
    for (int r = coarsely_first ? 0 : 1;; ++r) {
        Round round;
        round.whole = r > 0;
        const std::size_t derived = terms_.derived();
        std::vector<Factor> factors = terms_.factors(kept, round.whole);
        work_ += work_of_derivation * static_cast<double>(terms_.derived() - derived);
        Bounds found = improve(kept, factors, round);
        Kept next = found.total < enough_ ? remaining(kept, found, target_) : kept;
        if (next == kept && !round.whole && found.total < enough_)
            continue; // of no use
        const bool last =
            next == kept || r == most_rounds || found.total - before < worthwhile * (target_ - found.total);
        before = round.whole ? found.total : before;
        if (!last)
            round.kept = next;
        rounds.push_back(std::move(round));
        if (last)
            return found;
        kept = std::move(next);
        if (is_none(kept))
            return {target_, {}};
    }
}

/// Finds messages, in units, and returns what they prove.
Bounds Prover::improve(const Kept &kept, std::vector<Factor> &factors, Round &round) {
    Messages messages = zero_messages(factors);
    Bounds found = bounds(terms_, kept, factors, messages, false, target_);
    for (int i = 0; i < most_pricings && found.total < enough_; ++i) {
        const double total = found.total;
        for (Factor &factor : factors)
            factor.refresh();
        sweep_and_count(kept, factors, messages);
        const std::int64_t before = terms_.priced();
        found = bounds(terms_, kept, factors, messages, round.whole, target_, at_once);
        for (const Factor &factor : factors)
            work_ += static_cast<double>(factor.seconds.size() * factor.parts.size());
        if (terms_.priced() == before || (i > 0 && found.total - total < worthwhile * (target_ - total)))
            break;
    }
    double scalars = 1;
    for (const Factor &factor : factors)
        scalars += static_cast<double>(factor.layers.size());
    const double spare = std::max(precision * target_, 0.5 * (found.total - target_));
    round_to(std::min(spare / scalars, coarsest * target_), 8 * target_, messages, round);
    return bounds(terms_, kept, factors, *messages_of(round, factors), round.whole, target_);
}

bool is_one(const Kept &kept) {
    return std::all_of(kept.begin(), kept.end(), [](const std::vector<int> &of_layer) { return of_layer.size() == 1; });
}

bool is_none(const Kept &kept) {
    return std::any_of(kept.begin(), kept.end(), [](const std::vector<int> &of_layer) { return of_layer.empty(); });
}

double price_of_one(const Kept &kept, const Part &part, const plan::Request &request,
                    const PerLayer<Strategies> &options) {
    const cost::CostTable table =
        plan::evaluate(request, {part.sizes}, part.axes, layers_of(kept, options), part.storage);
    const double limit = byte_limit(request);
    return limit > 0 && table.memory.total().value > limit ? infinity : table.seconds().value;
}

} // namespace planc::certificate
