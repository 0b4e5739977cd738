#include "plan/bounds/relaxation.h"

#include "plan/numbers.h"
#include "plan/terms/term_builder.h"
#include "sharding/joint_sums.h"

#include <limits>

namespace planc::plan {

namespace {

class Relaxation : TermBuilder {
  public:
    Relaxation(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
               const Storage &storage, TermCache &cache, std::size_t most_layers)
        : TermBuilder(step, space, mesh, machine, storage, cache), most_layers_(most_layers) {}

    Objective build() {
        if (most_layers_ > 2)
            for (std::size_t sum = 0; sum < step_.passing.size(); ++sum)
                add_sums(sum);
        for (const OperationId o : graph_.operations.ids())
            add_operation(o);
        for (const ValueId v : graph_.values.ids())
            add_any(v);
        return finished();
    }

    Objective build_stored() {
        for (const OperationId o : graph_.operations.ids())
            if (graph_.operations[o].parameter)
                add_operation(o);
        for (const ValueId v : graph_.values.ids())
            if (depends_on_storage(v))
                add_any(v);
        return finished();
    }

  private:
    void add_any(ValueId v) {
        if (step_.values[v].variables.size() <= 1)
            add_value(v);
        else if (graph_.values[v].kind != sharding::ValueKind::free)
            add_alike(of_bound + most_layers_, step_.values[v], depends_on_storage(v), {}, {},
                      [this, v] { bound_value(v); });
    }

    /// For an origin: the seconds to a placement elsewhere, this many times.
    [[nodiscard]] auto from_many(ValueId v, bool any_route, bool alone, double often) {
        return [this, v, any_route, alone, often, &transfers = transfers_of(v)](int lies) {
            return
                [this, v, alone, often, lies,
                 seconds = TransferBounds::OfShape::From(transfers, any_route, lies, graph_.values[v].element_bytes)](
                    int wanted) mutable { return often * seconds(wanted, alone || !may_share_call(v, lies, wanted)); };
        };
    }

    void bound_value(ValueId v) {
        const std::vector<sharding::Need> needs = sharding::needs(index_, v);
        std::string key = "bound " + std::to_string(step_.values[v].kind);
        if (depends_on_storage(v))
            key += storage_text();
        const std::vector<LayerId> &layers = step_.values[v].variables;
        if (layers.size() <= most_layers_) {
            ScopedTerm value = scoped(step_.values[v], layers, key);
            if (entries(value.term) <= most_joint_entries || layers.size() <= 2)
                return add_made(std::move(value), [&](const Term &bounded) { return bound_copies(v, needs, bounded); });
        }
        bound_pairs(v, needs, key);
    }

    /// All copies are made from the value's placement, so each need bounds all of them together. One term for each pair
    /// of layers; each counts with its share.
    void bound_pairs(ValueId v, const std::vector<sharding::Need> &needs, const std::string &prefix) {
        const std::vector<LayerId> of_origin = Structure::of_origin(index_, step_.sums, v).variables();
        std::map<std::vector<LayerId>, std::vector<int>> by_layers; // layers -> needs
        for (int n = 0; n < static_cast<int>(needs.size()); ++n) {
            const std::vector<LayerId> of_need = Structure::of_need(index_, step_.sums, needs[n]).variables();
            std::vector<LayerId> both;
            std::set_union(of_origin.begin(), of_origin.end(), of_need.begin(), of_need.end(),
                           std::back_inserter(both));
            if (both.size() <= 2)
                by_layers[both].push_back(n);
        }
        join_contained(by_layers);
        const double share = times(v, needs) / static_cast<double>(by_layers.size());
        for (const auto &[layers, of_layers] : by_layers) {
            std::string key = prefix + " pair";
            for (int need : of_layers)
                key += ' ' + std::to_string(need);
            add_made(scoped(step_.values[v], layers, std::move(key)), [&](const Term &bounded) {
                const Column from = origin(bounded, v);
                std::vector<Column> to;
                for (int need : of_layers)
                    add_other(wanted(bounded, v, needs[need]), from, to);
                TransferBounds::OfShape &transfers = transfers_of(v);
                const bool alone = pays_latency(v);
                const int bytes = graph_.values[v].element_bytes;
                const auto seconds = [&](int lies, int other) {
                    return transfers.seconds(lies, other, bytes, alone || !may_share_call(v, lies, other)).value;
                };
                if (is_of_two(from, to))
                    return table_of_two("by any " + what_is_bounded(v, alone, share), bounded, from, to[0],
                                        from_many(v, true, alone, share));
                return table_of(bounded, from, to, [&](int lies, const std::vector<int> &others) {
                    double least = 0;
                    for (int other : others)
                        least = std::max(least, seconds(lies, other));
                    return share * least;
                });
            });
        }
    }

    /// If all readers of the value are known: each distinct copy is made in one reshard, from the value or from another
    /// copy.
    std::shared_ptr<const TermTable> bound_copies(ValueId v, const std::vector<sharding::Need> &needs,
                                                  const Term &term) {
        const Column from = origin(term, v);
        std::vector<Column> to;
        for (const sharding::Need &need : needs)
            add_other(wanted(term, v, need), from, to);
        TransferBounds::OfShape &transfers = transfers_of(v);
        const bool alone = pays_latency(v);
        const int bytes = graph_.values[v].element_bytes;
        const double often = times(v, needs);
        const auto seconds = [&](int lies, int wanted) {
            const bool latency = alone || !may_share_call(v, lies, wanted);
            return transfers.directly(lies, wanted, bytes, latency).value;
        };
        if (is_of_two(from, to))
            return table_of_two("by one " + what_is_bounded(v, alone, often), term, from, to[0],
                                from_many(v, false, alone, often));
        return table_of(term, from, to, [&](int lies, const std::vector<int> &others) {
            double sum = 0;
            double first = std::numeric_limits<double>::infinity(); // at least one copy is made from the value itself
            for (int wanted : others) {
                const double own = seconds(lies, wanted);
                double least = own;
                for (int source : others)
                    if (source != wanted && transfers.possible(source, wanted))
                        least = std::min(least, seconds(source, wanted));
                sum += least;
                first = std::min(first, own - least);
            }
            return often * (sum + first);
        });
    }

    /// Adds a placement unless it is there already.
    static void add_other(Column column, const Column &from, std::vector<Column> &to) {
        const auto is_this = [&](const Column &other) {
            return other.strides == column.strides && other.numbers == column.numbers;
        };
        if (!is_this(from) && std::none_of(to.begin(), to.end(), is_this))
            to.push_back(std::move(column));
    }

    /// Whether one layer alone determines where the value lies, and another one where all its readers need it. This
    /// holds for nearly all entries of tables.
    static bool is_of_two(const Column &from, const std::vector<Column> &to) {
        return from.strides.size() == 2 && to.size() == 1 && (from.strides[0] == 0) != (from.strides[1] == 0) &&
               (to[0].strides[0] == 0) == (from.strides[1] == 0) && (to[0].strides[1] == 0) == (from.strides[0] == 0);
    }

    /// Equal texts mean equal seconds between two placements.
    [[nodiscard]] std::string what_is_bounded(ValueId v, bool alone, double times) {
        const sharding::Value &value = graph_.values[v];
        std::string text = std::to_string(reinterpret_cast<std::uintptr_t>(&reshards_of(v)));
        for (int part : {value.element_bytes, alone ? 1 : 0, index_.companion[v] ? 0 : 1})
            text += ' ' + std::to_string(part);
        return text.append(reinterpret_cast<const char *>(&times), sizeof(times));
    }

    /// Calls from_many(origin)(placement elsewhere) for each entry of such a term. Many values of one shape have the
    /// same placements and needs, and share a table.
    template <class FromMany>
    std::shared_ptr<const TermTable> table_of_two(std::string key, const Term &term, const Column &from,
                                                  const Column &to, const FromMany &from_many) {
        for (const Column *column : {&from, &to}) {
            key += '|' + std::to_string(column->strides[0]) + ' ' + std::to_string(column->numbers.size()) + ' ';
            key.append(reinterpret_cast<const char *>(column->numbers.data()), column->numbers.size() * sizeof(int));
        }
        std::shared_ptr<const TermTable> &known = cache_.tables[key];
        if (known)
            return known;
        TermTable table;
        std::vector<float> &result = table.prices.rounded;
        result.resize(static_cast<std::size_t>(entries(term)));
        const bool by_line = from.strides[0] != 0; // else origins are columns
        const auto second = static_cast<std::size_t>(term.classes[1]);
        for (std::size_t f = 0; f < from.numbers.size(); ++f) {
            const int origin = from.numbers[f];
            auto seconds = from_many(origin);
            float *entry = result.data() + (by_line ? f * second : f);
            for (const int wanted : to.numbers) {
                *entry = wanted == origin ? 0 : rounded_down(seconds(wanted));
                entry += by_line ? 1 : second;
            }
        }
        return known = std::make_shared<const TermTable>(std::move(table));
    }

    /// Calls seconds(origin, distinct placements elsewhere) for each entry of the term.
    template <class Seconds>
    static std::shared_ptr<const TermTable> table_of(const Term &term, const Column &from,
                                                     const std::vector<Column> &to, const Seconds &seconds) {
        TermTable table;
        std::vector<float> &result = table.prices.rounded;
        result.reserve(static_cast<std::size_t>(entries(term)));
        const std::size_t last = term.classes.size() - 1;
        std::vector<std::size_t> outer(last);
        std::iota(outer.begin(), outer.end(), std::size_t{0});
        std::vector<int> at(term.classes.size(), 0);
        std::vector<int> wanted(to.size());
        std::vector<int> others;
        do {
            int lies = from.place(at);
            for (std::size_t n = 0; n < to.size(); ++n)
                wanted[n] = to[n].place(at);
            for (int c = 0; c < term.classes[last]; ++c) {
                const int origin = from.numbers[lies];
                others.clear();
                for (std::size_t n = 0; n < to.size(); ++n)
                    if (const int number = to[n].numbers[wanted[n]];
                        number != origin && std::find(others.begin(), others.end(), number) == others.end())
                        others.push_back(number);
                result.push_back(others.empty() ? 0 : rounded_down(seconds(origin, others)));
                lies += from.strides[last];
                for (std::size_t n = 0; n < to.size(); ++n)
                    wanted[n] += to[n].strides[last];
            }
        } while (advance(term, outer, at, [](std::size_t) {}));
        return std::make_shared<const TermTable>(std::move(table));
    }

    TransferBounds::OfShape &transfers_of(ValueId v) { return cache_.transfers.of(reshards_of(v)); }

    /// Merges needs whose layers are contained in those of another need: both bound the same copies, and each counts
    /// for more.
    static void join_contained(std::map<std::vector<LayerId>, std::vector<int>> &by_layers) {
        for (auto within = by_layers.begin(); within != by_layers.end();) {
            bool is_contained = false;
            for (auto other = by_layers.begin(); within->first.size() < 2 && other != by_layers.end(); ++other)
                if (auto &[layers, needs] = *other;
                    layers.size() > within->first.size() &&
                    std::includes(layers.begin(), layers.end(), within->first.begin(), within->first.end())) {
                    needs.insert(needs.end(), within->second.begin(), within->second.end());
                    is_contained = true;
                }
            within = is_contained ? by_layers.erase(within) : std::next(within);
        }
    }

    /// Whether the value is neither in a bucket nor with a companion, under any choice.
    [[nodiscard]] bool pays_latency(ValueId v) const {
        return !index_.companion[v] &&
               std::none_of(index_.uses[v].begin(), index_.uses[v].end(), [this](const sharding::Use &use) {
                   return graph_.operations[use.operation].phase == sharding::Phase::update;
               });
    }

    /// Whether a copy of such a value may share a call, in a bucket or with its companion. It may only if it is a
    /// single all-reduce that is not too large.
    [[nodiscard]] bool may_share_call(ValueId v, int from, int to) {
        const sharding::Value &value = graph_.values[v];
        const sharding::Reshards &reshards = reshards_of(v);
        const sharding::Placement &lies = reshards.placement(from);
        const sharding::Placement &wanted = reshards.placement(to);
        const std::int64_t most = index_.companion[v]
                                      ? std::max(sharding::largest_fused_bytes, sharding::largest_joint_bytes)
                                      : sharding::largest_fused_bytes;
        return lies.dimensions == wanted.dimensions && lies.stored == wanted.stored &&
               planrt::largest_volume(wanted, mesh_) * value.element_bytes <= most;
    }

    /// The minimum number of times that a step makes a copy.
    [[nodiscard]] double times(ValueId v, const std::vector<sharding::Need> &needs) const {
        const OperationId producer = graph_.values[v].producer;
        const bool each = std::all_of(needs.begin(), needs.end(), [this](const sharding::Need &need) {
            return need.operand >= 0 && !graph_.operations[need.operation].per_step;
        });
        const bool once = producer && (graph_.operations[producer].per_step || graph_.operations[producer].accumulates);
        return each && !once ? graph_.microbatches : 1;
    }

    std::size_t most_layers_;
};

} // namespace

Objective relaxed_objective(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                            const Storage &storage, TermCache &cache, std::size_t most_layers) {
    return Relaxation(step, space, mesh, machine, storage, cache, most_layers).build();
}

Objective relaxed_stored(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                         const Storage &storage, TermCache &cache) {
    return Relaxation(step, space, mesh, machine, storage, cache, 2).build_stored();
}

} // namespace planc::plan
