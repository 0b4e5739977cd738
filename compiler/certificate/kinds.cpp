#include "certificate/kinds.h"

#include "sharding/links.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <unordered_map>

namespace planc::certificate {

namespace {

/// Everything on which a form depends, as numbers; texts are preceded by their lengths.
class Facts {
  public:
    template <class... Numbers> explicit Facts(Numbers... numbers) { (put(numbers), ...); }

    template <class Number> void put(Number number) { append(static_cast<std::int64_t>(number)); }
    void put(double number) { append(std::bit_cast<std::int64_t>(number)); }
    void put(const std::string &word) {
        put(word.size());
        text_ += word;
    }
    template <class List> void put_all(const List &list) {
        put(list.size());
        for (const auto &each : list)
            put(each);
    }
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    void append(std::int64_t number) { text_.append(reinterpret_cast<const char *>(&number), sizeof(number)); }

    std::string text_;
};

/// A form with the layers in its places.
struct Filled {
    int form = 0;
    std::vector<LayerId> layers;
};

/// What sharding::Copies derives, as forms.
class Forms {
  public:
    explicit Forms(const sharding::GraphIndex &index)
        : index_(index), graph_(index.graph), derived_(graph_.operations.size()), homes_(graph_.values.size()) {}

    /// The form that these facts make of its parts.
    Filled made(Facts facts, const std::vector<Filled> &parts) {
        Filled result;
        for (const Filled &part : parts) {
            facts.put(part.form);
            for (const LayerId layer : part.layers) {
                const auto place = std::find(result.layers.begin(), result.layers.end(), layer);
                facts.put(place - result.layers.begin());
                if (place == result.layers.end())
                    result.layers.push_back(layer);
            }
        }
        result.form = number(facts);
        return result;
    }
    /// The form with its places in ascending order of these layers.
    int kind(const Filled &filled) {
        std::vector<LayerId> ascending = filled.layers;
        std::sort(ascending.begin(), ascending.end());
        Facts facts('k', filled.form);
        for (const LayerId layer : filled.layers)
            facts.put(std::lower_bound(ascending.begin(), ascending.end(), layer) - ascending.begin());
        return number(facts);
    }

    /// Where an operation runs.
    Filled strategy(OperationId operation) {
        const sharding::Operation &o = graph_.operations[operation];
        if (!o.parameter)
            return {number(facts(operation)), {o.layer}};
        Facts follows = facts(operation);
        follows.put_all(index_.operation_anchor[operation].root_dimension);
        return made(std::move(follows), {home(index_.operation_anchor[operation].root)});
    }
    /// How it needs its operands and leaves its results.
    const Filled &derived(OperationId operation) {
        if (derived_[operation])
            return *derived_[operation];
        std::vector<Filled> parts{strategy(operation)};
        if (index_.may_pass_partial[operation])
            for (const ValueId operand : graph_.operations[operation].operands)
                parts.push_back(origin(operand));
        return derived_[operation].emplace(made(Facts('d'), parts));
    }
    const Filled &home(ValueId variable) {
        if (homes_[variable])
            return *homes_[variable];
        const sharding::Value &v = graph_.values[variable];
        const sharding::Anchor &anchor = index_.value_anchor[variable];
        Facts facts('h', v.home.has_value(), static_cast<bool>(anchor.root));
        facts.put_all(v.extents);
        facts.put_all(anchor.root_dimension);
        std::vector<Filled> parts;
        if (v.home) {
            for (const planrt::DimensionPlacement &dimension : v.home->dimensions)
                facts.put_all(dimension.axes);
            facts.put_all(v.home->stored);
        } else if (const sharding::Use &reader = index_.reader[variable]; reader.operation) {
            facts.put(reader.operand);
            parts.push_back(derived(reader.operation));
        } else if (anchor.root) {
            parts.push_back(home(anchor.root));
        }
        return homes_[variable].emplace(made(std::move(facts), parts));
    }
    Filled origin(ValueId value) {
        const sharding::Value &v = graph_.values[value];
        if (v.kind == sharding::ValueKind::variable)
            return home(value);
        if (v.kind == sharding::ValueKind::free)
            return made(Facts('f'), {});
        return made(Facts('o', sharding::result_number(graph_, value)), {derived(v.producer)});
    }
    /// A value, by its origin and all its needs in their order.
    Filled value(ValueId value, cost::Residence residence) {
        const sharding::Value &v = graph_.values[value];
        Facts facts('v', v.kind, v.element_bytes, residence, static_cast<bool>(index_.companion[value]));
        facts.put_all(v.extents);
        std::vector<Filled> parts{origin(value)};
        for (const sharding::Need &need : sharding::needs(index_, value)) {
            facts.put(need.operand);
            if (need.operand >= 0)
                parts.push_back(derived(need.operation));
            else if (need.home)
                parts.push_back(home(need.home));
            facts.put(parts.size());
        }
        return made(std::move(facts), parts);
    }

  private:
    int number(const Facts &facts) {
        return forms_.emplace(facts.text(), static_cast<int>(forms_.size())).first->second;
    }

    /// Everything about an operation except its name, its layer and its neighbours.
    Facts facts(OperationId operation) {
        const sharding::Operation &o = graph_.operations[operation];
        Facts facts('s', o.phase, o.kernel, index_.pass[operation], index_.may_pass_partial[operation], o.accumulates,
                    o.per_step, o.level, static_cast<bool>(o.parameter), o.nest.linear, o.nest.reduction,
                    o.flops_per_point);
        for (const sharding::Loop &loop : o.nest.loops) {
            facts.put(loop.name);
            facts.put(loop.extent);
            facts.put(loop.kind);
        }
        for (const sharding::NestWindow &w : o.nest.windows)
            for (const std::int64_t number :
                 {std::int64_t{w.operand}, std::int64_t{w.dimension}, std::int64_t{w.kernel_loop}, w.extent, w.stride,
                  w.dilation, w.padding, std::int64_t{w.transposed}, std::int64_t{w.blocks_only}})
                facts.put(number);
        if (const auto &sparse = o.nest.sparse) {
            for (const int number : {sparse->outer, sparse->inner, sparse->matrix})
                facts.put(std::int64_t{number});
            facts.put(sparse->density);
            facts.put(sparse->lists_rows);
            facts.put(sparse->exchanged);
        }
        std::vector<ValueId> tensors = o.operands;
        tensors.insert(tensors.end(), o.results.begin(), o.results.end());
        for (const ValueId tensor : tensors) {
            const sharding::Value &v = graph_.values[tensor];
            facts.put(std::find(tensors.begin(), tensors.end(), tensor) - tensors.begin()); // one value twice
            facts.put(v.kind);
            facts.put(v.element_bytes);
            facts.put_all(v.extents);
        }
        for (const auto *side : {&o.nest.operands, &o.nest.results})
            for (const std::vector<int> &loops : *side)
                facts.put_all(loops);
        for (const ValueId variable : o.writes)
            facts.put(static_cast<bool>(variable));
        return facts;
    }

    const sharding::GraphIndex &index_;
    const sharding::Graph &graph_;
    PerOperation<std::optional<Filled>> derived_;
    PerValue<std::optional<Filled>> homes_;
    std::unordered_map<std::string, int> forms_;
};

Facts facts_of(const sharding::Work &work) {
    Facts facts('c');
    facts.put(cost::text(work));
    return facts;
}

} // namespace

Kinds::Kinds(const sharding::GraphIndex &given, const cost::Machine &machine)
    : index(given), facts(given.graph, machine) {
    Forms forms(index);
    const auto kind_of = [&](const Filled &filled, const std::vector<LayerId> &layers, Facts own) {
        const std::set<LayerId> found(filled.layers.begin(), filled.layers.end());
        if (!std::equal(found.begin(), found.end(), layers.begin(), layers.end()))
            return forms.kind(forms.made(std::move(own), {filled}));
        return forms.kind(filled);
    };
    for (const OperationId o : index.graph.operations.ids())
        of_operation.push_back(kind_of(forms.made(facts_of(facts.work[o]), {forms.strategy(o)}),
                                       sharding::layers_of_strategy(index, o), Facts('O', o.index())));
    for (const ValueId v : index.graph.values.ids())
        of_value.push_back(
            kind_of(forms.value(v, facts.residences[v]), sharding::scope(index, v), Facts('V', v.index())));
}

} // namespace planc::certificate
