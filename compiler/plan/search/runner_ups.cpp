#include "plan/search/runner_ups.h"

#include "plan/numbers.h"
#include "plan/search/search.h"
#include "plan/terms/term_builder.h"
#include "support/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace planc::plan {

using sharding::Links;

namespace {

/// The strategies of each layer, and which of them is planned.
struct Planned {
    Space space;
    PerLayer<int> values; ///< -1: the planned strategy is not among them

    Planned(Space given, const LayerStrategies &layers) : space(std::move(given)) {
        for (const LayerId l : layers.ids()) {
            const Strategies &options = *space.options[l];
            const auto at = std::find(options.begin(), options.end(), layers[l]);
            values.push_back(at == options.end() ? -1 : static_cast<int>(at - options.begin()));
            if (at == options.end())
                space.options[l] = std::make_shared<const Strategies>(Strategies{layers[l]});
        }
    }
};

/// What terms add up to.
struct Sums {
    double seconds = 0;
    double bytes = 0;             ///< of what lives through the step
    std::array<int, 32> joined{}; ///< per set of bucket axes: terms that join it

    void add(const Sums &other, int sign) {
        seconds += sign * other.seconds;
        bytes += sign * other.bytes;
        for (std::size_t set = 0; set < joined.size(); ++set)
            joined[set] += sign * other.joined[set];
    }
};

/// The placements in which something needs a value, each with these needs, ascending, by placement and part of the step
/// (Links::of()).
using Wants = std::map<std::pair<int, sharding::Pass>, std::set<std::size_t>>;

/// A plan, and how it changes if one layer has another strategy and the sums follow. Terms are priced one by one, and
/// those that are alike once.
class Alternatives : Planned, TermBuilder {
  public:
    Alternatives(const StepStructure &step, const MeshShape &shape, const Space &given, const Machine &machine,
                 const Storage &storage, TermCache &cache, const LayerStrategies &layers, double byte_limit)
        : Planned(given, layers), TermBuilder(step, space, shape.mesh, machine, storage, cache),
          byte_limit_(byte_limit), terms_of_(step.variables), needs_(graph_.values.size()),
          wants_(graph_.values.size()) {
        for (const LayerId l : layers.ids())
            choose(l, std::max(values[l], 0));
        for (Number sum = first_sum(); sum < count(); ++sum)
            choose(bound(sum), passing_value(sum));
        for (const ValueId v : graph_.values.ids()) {
            needs_[v] = sharding::needs(index_, v);
            for (std::size_t n = 0; n < needs_[v].size(); ++n)
                want(v, n);
        }
        for (Number term = 0; term < count(); ++term) {
            for (const LayerId each : scope(term).variables)
                terms_of_[each].push_back(term);
            if (term < first_sum())
                all_.add(of(term), 1);
        }
    }

    std::optional<RunnerUp> of(LayerId layer) {
        if (values[layer] < 0)
            return std::nullopt;
        const auto [known, is_new] = alike_.try_emplace(likeness(layer));
        if (is_new)
            known->second = found(layer);
        return known->second;
    }

  private:
    /// A term of the step: an operation, a value or a sum, numbered in this order.
    using Number = std::size_t;
    [[nodiscard]] Number first_value() const { return graph_.operations.size(); }
    [[nodiscard]] Number first_sum() const { return first_value() + graph_.values.size(); }
    [[nodiscard]] Number count() const { return first_sum() + step_.passing.size(); }
    [[nodiscard]] bool is_value(Number term) const { return term >= first_value() && term < first_sum(); }
    [[nodiscard]] ValueId value(Number term) const { return ValueId(term - first_value()); }
    [[nodiscard]] const Scope &scope(Number term) const {
        return term < first_value() ? step_.operations[OperationId(term)]
               : term < first_sum() ? step_.values[value(term)]
                                    : step_.passing[term - first_sum()];
    }
    /// The variable that the term of a sum binds.
    [[nodiscard]] LayerId bound(Number sum) const { return scope(sum).variables.back(); }
    [[nodiscard]] int passing_value(Number sum) {
        const std::vector<std::uint32_t> &sets = cache_.sets_of_sums;
        const auto at = std::find(sets.begin(), sets.end(), passing_axes(step_.sums.operations[sum - first_sum()]));
        return static_cast<int>(at - sets.begin());
    }

    std::optional<RunnerUp> found(LayerId layer) {
        std::optional<RunnerUp> best;
        const Strategies &options = *space_.options[layer];
        for (int value = 0; value < static_cast<int>(options.size()); ++value) {
            if (value == values[layer])
                continue;
            const Sums change = changed(layer, value);
            if (byte_limit_ > 0 && all_.bytes + change.bytes > byte_limit_)
                continue;
            const double added = seconds_added(change);
            if (!best || added < best->added.value)
                best = RunnerUp{options[value], Seconds(added)};
        }
        return best;
    }

    /// The change of all terms if the layer has another value than planned.
    Sums changed(LayerId layer, int value) {
        std::map<LayerId, int> before{{layer, values[layer]}};
        std::set<Number> affected(terms_of_[layer].begin(), terms_of_[layer].end());
        choose(layer, value);
        for (auto term = affected.lower_bound(first_sum()); term != affected.end(); ++term)
            if (const int follows = passing_value(*term); follows != chosen_[bound(*term)]) {
                const LayerId sum = bound(*term);
                before.emplace(sum, chosen_[sum]);
                choose(sum, follows);
                affected.insert(terms_of_[sum].begin(), terms_of_[sum].end()); // those that bind others come later
            }
        affected.erase(affected.lower_bound(first_sum()), affected.end());
        Sums change;
        want_anew(affected, before);
        for (const Number term : affected)
            change.add(of(term), 1);
        for (const auto &[variable, old] : before)
            choose(variable, old);
        want_anew(affected, before);
        for (const Number term : affected)
            change.add(of(term), -1);
        return change;
    }

    /// Finds the needs of these terms again that depend on a variable.
    void want_anew(const std::set<Number> &terms, const std::map<LayerId, int> &variables) {
        for (const Number term : terms) {
            if (!is_value(term))
                continue;
            const ValueId v = value(term);
            std::set<std::size_t> needs;
            for (const auto &[variable, old] : variables)
                if (const auto of_variable = needs_of_.find({v, variable}); of_variable != needs_of_.end())
                    needs.insert(of_variable->second.begin(), of_variable->second.end());
            for (const std::size_t need : needs) {
                const auto of_placement = wants_[v].find(wanted_.at({v, need}));
                of_placement->second.erase(need);
                if (of_placement->second.empty())
                    wants_[v].erase(of_placement);
                want(v, need);
            }
        }
    }

    void want(ValueId v, std::size_t n) {
        const sharding::Need &need = needs_[v][n];
        const bool is_variable = graph_.values[v].kind == sharding::ValueKind::variable;
        const bool in_step = need.operation < graph_.end_of_program();
        const std::pair key(number(v, need),
                            is_variable && in_step ? index_.pass[need.operation] : sharding::Pass::forward);
        wants_[v][key].insert(n);
        if (wanted_.insert_or_assign({v, n}, key).second)
            for (const LayerId variable : Structure::of_need(index_, step_.sums, need).variables())
                needs_of_[{v, variable}].push_back(n);
    }

    /// Under the current values.
    const Sums &of(Number term) { return is_value(term) ? of_value(value(term)) : of_operation(OperationId(term)); }
    const Sums &of_operation(OperationId o) {
        const LayerId layer = decided_by(o);
        const auto [at, is_new] = known_.try_emplace(
            {step_.operations[o].kind, layer ? number_of_list(layer) : 0, layer ? chosen_[layer] : 0});
        if (is_new)
            at->second.seconds = seconds(o);
        return at->second;
    }
    const Sums &of_value(ValueId v) {
        std::vector<Links::Wanted> wanted;
        for (const auto &[key, needs] : wants_[v])
            wanted.push_back({*needs.begin(), key.first});
        std::sort(wanted.begin(), wanted.end(), [](const auto &a, const auto &b) { return a.need < b.need; });
        std::vector<int> key{step_.values[v].kind, lies(v)};
        for (const Links::Wanted &each : wanted) {
            key.push_back(each.placement);
            key.push_back(static_cast<int>(each.need));
        }
        const auto [at, is_new] = known_.try_emplace(std::move(key));
        Sums &sums = at->second;
        if (!is_new)
            return sums;
        ValuePrices prices(index_, mesh_, cache_.known, cache_.links, v, step_.facts->residences[v]);
        const ValuePrice &price = prices.of(lies(v), wanted);
        sums.seconds = price.seconds;
        if (!step_.facts->lives[v].first && step_.facts->residences[v] != cost::Residence::in_place)
            sums.bytes = price.bytes.value;
        std::uint32_t fused = 0;
        for (const ValuePrice::Fused &call : price.fused)
            fused |= bucket(call);
        for (std::size_t set = 0; set < sums.joined.size(); ++set)
            sums.joined[set] = static_cast<int>(fused >> set & 1);
        return sums;
    }

    int number_of_list(LayerId layer) {
        return lists_.emplace(space_.options[layer].get(), static_cast<int>(lists_.size())).first->second;
    }

    /// Equal for layers whose other strategies change the plan alike: of each term that may change, its kind and the
    /// values on which it depends.
    std::vector<int> likeness(LayerId layer) {
        std::vector<int> result{number_of_list(layer)};
        std::set<Number> terms(terms_of_[layer].begin(), terms_of_[layer].end());
        for (auto term = terms.lower_bound(first_sum()); term != terms.end(); ++term)
            terms.insert(terms_of_[bound(*term)].begin(), terms_of_[bound(*term)].end());
        for (const Number term : terms) {
            result.push_back(-1);
            result.push_back(scope(term).kind);
            const std::vector<LayerId> &variables = scope(term).variables;
            if (!is_value(term) || step_.readers[value(term)].empty()) {
                for (const LayerId variable : variables) {
                    result.push_back(variable == layer ? 1 : 0);
                    result.push_back(space_.options.contains(variable) ? number_of_list(variable) : -1);
                    result.push_back(chosen_[variable]);
                }
                continue;
            }
            // Of a value with many readers: where it lies and is wanted, and by which of the layer's needs alone.
            const ValueId v = value(term);
            const auto own = needs_of_.find({v, layer});
            result.push_back(lies(v));
            for (const auto &[key, needs] : wants_[v]) {
                std::size_t of_layer = 0;
                if (own != needs_of_.end())
                    for (const std::size_t need : own->second)
                        of_layer += needs.count(need);
                result.push_back(key.first);
                result.push_back(static_cast<int>(key.second));
                result.push_back(static_cast<int>(of_layer));
                result.push_back(of_layer == needs.size() ? 1 : 0);
                result.push_back(kind_of_first(v, needs, nullptr));
                result.push_back(kind_of_first(v, needs, own == needs_of_.end() ? nullptr : &own->second));
            }
        }
        return result;
    }

    /// Of the first of these needs without some others: what a price depends on; -1: there is none.
    [[nodiscard]] int kind_of_first(ValueId v, const std::set<std::size_t> &needs,
                                    const std::vector<std::size_t> *without) const {
        for (const std::size_t need : needs) {
            if (without != nullptr && std::find(without->begin(), without->end(), need) != without->end())
                continue;
            const OperationId reader = needs_[v][need].operation;
            return reader < graph_.end_of_program() ? step_.operations[reader].kind : -2;
        }
        return -1;
    }

    [[nodiscard]] double seconds_added(const Sums &change) const {
        double added = change.seconds;
        for (std::size_t set = 0; set < cache_.bucket_latency.size(); ++set) {
            const int used_before = all_.joined[set] > 0 ? 1 : 0;
            const int used_after = all_.joined[set] + change.joined[set] > 0 ? 1 : 0;
            added += (used_after - used_before) * cache_.bucket_latency[set];
        }
        return std::abs(added) < rounding * all_.seconds ? 0 : added;
    }

    double byte_limit_;
    PerLayer<std::vector<Number>> terms_of_; ///< per variable: the terms that depend on it
    PerValue<std::vector<sharding::Need>> needs_;
    PerValue<Wants> wants_;                                                            ///< under the current values
    std::map<std::pair<ValueId, std::size_t>, std::pair<int, sharding::Pass>> wanted_; ///< the place of a need there
    std::map<std::pair<ValueId, LayerId>, std::vector<std::size_t>> needs_of_; ///< the needs that a variable decides
    std::map<std::vector<int>, Sums>
        known_; ///< of an operation: kind, strategies, strategy; of a value: kind, placements
    std::map<const Strategies *, int> lists_;
    std::map<std::vector<int>, std::optional<RunnerUp>> alike_;
    Sums all_; ///< of the plan
};

} // namespace

PerLayer<std::optional<RunnerUp>> runner_ups(const StepStructure &step, const MeshShape &shape, const Space &space,
                                             const Machine &machine, const Storage &storage, TermCache &cache,
                                             const LayerStrategies &layers, double byte_limit) {
    PerLayer<std::optional<RunnerUp>> result(layers.size());
    const std::size_t parts = std::clamp<std::size_t>(layers.size(), 1, most_at_once);
    support::in_parallel(parts, [&](std::size_t part) {
        std::optional<TermCache> own;
        if (part > 0)
            own.emplace(shape.mesh, machine);
        Alternatives alternatives(step, shape, space, machine, storage, part > 0 ? *own : cache, layers, byte_limit);
        const LayerId end(layers.size() * (part + 1) / parts);
        for (LayerId layer(layers.size() * part / parts); layer < end; ++layer)
            result[layer] = alternatives.of(layer);
    });
    return result;
}

} // namespace planc::plan
