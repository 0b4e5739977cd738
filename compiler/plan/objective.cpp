#include "plan/objective.h"

#include "cost/compute.h"
#include "cost/memory.h"
#include "plan/structure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace planc::plan {

namespace {

/// Entries of a table that are priced one by one; more would take seconds.
constexpr double largest_term = 1 << 16;

class Builder {
  public:
    Builder(const sharding::GraphIndex &index, const Space &space, const Mesh &mesh, const Machine &machine,
            const Storage &storage, TermCache &cache)
        : index_(index), graph_(index.graph), space_(space), mesh_(mesh), machine_(machine), storage_(storage),
          cache_(cache), fusion_(cost::fusion(index.graph)), residence_(cost::residences(index.graph)),
          lives_(cost::lives(index.graph)),
          layers_(index.graph.layers.size(), LayerStrategy{std::vector<std::string>(mesh.sizes.size()), {}}) {
        for (const auto &options : space.options)
            objective_.domains.push_back(static_cast<int>(options->size()));
    }

    Objective build() {
        for (int o = 0; o < static_cast<int>(graph_.operations.size()); ++o)
            add_operation(o);
        for (int v = 0; v < static_cast<int>(graph_.values.size()); ++v)
            add_value(v);
        objective_.bucket_latency = cache_.bucket_latency;
        return std::move(objective_);
    }

  private:
    void add_operation(int o) {
        const Structure structure = Structure::of_operation(index_, o);
        std::string key = "operation ";
        key += structure.text(-1);
        if (graph_.operations[o].parameter >= 0)
            key += storage_text();
        for (const std::vector<bool> &fused : {fusion_[o].operands, fusion_[o].results})
            for (bool each : fused)
                key += each ? '1' : '0';
        add(structure, {}, std::move(key),
            [this, o](const Term &term, TermTable &table) { price_operation(o, term, table); });
    }

    void price_operation(int o, const Term &term, TermTable &table) {
        const sharding::Operation &operation = graph_.operations[o];
        const double times = operation.per_step ? 1 : graph_.microbatches;
        for_each(term, all(term), [&](const std::vector<int> &) {
            const sharding::Strategy strategy = sharding::strategy_of(index_, mesh_, layers_, o, storage_);
            table.prices.seconds.push_back(
                times * cost::seconds_under(strategy, graph_, operation, fusion_[o], mesh_, machine_).value);
        });
    }

    void add_value(int v) {
        const bool stored = residence_[v] != cost::Residence::in_place;
        const Structure structure = Structure::of_value(index_, v);
        std::string key = stored ? "stored " : "in place ";
        key += structure.text(v);
        if (index_.companion[v] >= 0)
            key += "joins ";
        if (depends_on_storage(v))
            key += storage_text();
        const bool added = add(structure, lives_[v], std::move(key),
                               [this, v](const Term &term, TermTable &table) { price_value(v, term, table); });
        if (!added)
            objective_.left_out.push_back(v);
    }

    /// Numbers of the placements that something has under all strategies that decide it: few of the term's layers.
    struct Column {
        std::vector<int> numbers;
        std::vector<int> strides; ///< per layer of the term
    };

    template <class Placed> Column column(const Term &term, const std::vector<int> &layers, const Placed &number) {
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
        for_each(term, places, [&](const std::vector<int> &) {
            sharding::Copies copies(index_, mesh_, layers_, storage_);
            column.numbers.push_back(number(copies));
        });
        return column;
    }

    void price_value(int v, const Term &term, TermTable &table) {
        const bool stored = residence_[v] != cost::Residence::in_place;
        ValuePrices prices(index_, mesh_, cache_.reshards, cache_.prices, v, residence_[v]);
        std::vector<Column> columns;
        for (const sharding::Need &need : prices.needs())
            columns.push_back(column(term, layers_of(need),
                                     [&](sharding::Copies &copies) { return prices.number(copies.wanted(v, need)); }));
        const bool free = graph_.values[v].kind == sharding::ValueKind::free;
        if (!free)
            columns.push_back(column(term, sharding::layers_of_origin(index_, v),
                                     [&](sharding::Copies &copies) { return prices.number(copies.origin(v)); }));
        std::vector<int> numbers(columns.size());
        for_each(term, all(term), [&](const std::vector<int> &at) {
            for (std::size_t c = 0; c < columns.size(); ++c)
                numbers[c] =
                    columns[c].numbers[std::inner_product(at.begin(), at.end(), columns[c].strides.begin(), 0)];
            const ValuePrice &price = prices.of(free ? -1 : numbers.back(), {numbers.data(), prices.needs().size()});
            std::uint32_t fused = 0;
            for (const ValuePrice::Fused &call : price.fused)
                fused |= bucket(call);
            table.prices.seconds.push_back(price.seconds);
            table.fused.push_back(fused);
            if (stored)
                table.prices.bytes.push_back(price.bytes.value);
        });
    }

    [[nodiscard]] std::vector<int> layers_of(const sharding::Need &need) const {
        if (need.operand >= 0)
            return sharding::layers_of_placements(index_, need.operation);
        return need.home >= 0 ? sharding::layers_of_origin(index_, need.home) : std::vector<int>{};
    }

    static std::vector<std::size_t> all(const Term &term) {
        std::vector<std::size_t> places(term.layers.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        return places;
    }

    /// Visits all combinations of classes of the term's layers at these places, the last fastest, the other layers at
    /// class 0: layers_ has a strategy of each class.
    template <class Visit> void for_each(const Term &term, const std::vector<std::size_t> &places, const Visit &visit) {
        std::vector<int> at(term.layers.size(), 0);
        for (std::size_t i = 0; i < at.size(); ++i)
            choose(term, i, 0);
        while (true) {
            visit(at);
            std::size_t p = places.size();
            while (p-- > 0) {
                const std::size_t i = places[p];
                at[i] = at[i] + 1 < term.classes[i] ? at[i] + 1 : 0;
                choose(term, i, at[i]);
                if (at[i] > 0)
                    break;
            }
            if (p == static_cast<std::size_t>(-1))
                return;
        }
    }

    /// The first strategy of the class.
    void choose(const Term &term, std::size_t place, int of_class) {
        const std::vector<int> &classes = *term.class_of[place];
        const int layer = term.layers[place];
        layers_[layer] =
            (*space_.options[layer])[std::find(classes.begin(), classes.end(), of_class) - classes.begin()];
    }

    [[nodiscard]] bool depends_on_storage(int v) const {
        return graph_.values[v].kind == sharding::ValueKind::variable || index_.stored_in[v] >= 0 ||
               (graph_.values[v].producer >= 0 && graph_.operations[graph_.values[v].producer].parameter >= 0) ||
               std::any_of(index_.uses[v].begin(), index_.uses[v].end(), [this](const sharding::Use &use) {
                   return graph_.operations[use.operation].parameter >= 0;
               });
    }

    [[nodiscard]] std::string storage_text() const {
        std::string text = "stored";
        for (const std::vector<int> &axes : {storage_.parameters, storage_.gradients, storage_.optimizer}) {
            text += '/';
            for (int axis : axes)
                text += std::to_string(axis) + ' ';
        }
        return text;
    }

    /// The bit of a bucket's set of axes; 0 where there are no bits left: then its latency is never counted.
    std::uint32_t bucket(const ValuePrice::Fused &call) {
        const auto [known, is_new] =
            cache_.buckets.emplace(std::pair(call.norm, call.axes), static_cast<int>(cache_.buckets.size()));
        if (known->second >= 32)
            return 0;
        if (is_new)
            cache_.bucket_latency.push_back(call.latency);
        return std::uint32_t{1} << known->second;
    }

    /// Adds a term whose table `price` fills. False: too many entries.
    template <class Price> bool add(const Structure &structure, cost::Life life, std::string key, const Price &price) {
        Term term;
        term.life = life;
        term.layers = structure.layers();
        double entries = 1;
        for (int layer : term.layers) {
            term.class_of.push_back(classes(structure, layer));
            term.classes.push_back(1 + *std::max_element(term.class_of.back()->begin(), term.class_of.back()->end()));
            entries *= term.classes.back();
            key += '|';
            key += std::to_string(reinterpret_cast<std::uintptr_t>(term.class_of.back().get()));
        }
        if (entries > largest_term)
            return false;
        std::shared_ptr<const TermTable> &table = cache_.tables[key];
        if (!table) {
            TermTable entries_of_table;
            price(term, entries_of_table);
            std::vector<std::uint32_t> &fused = entries_of_table.fused;
            if (std::all_of(fused.begin(), fused.end(), [](std::uint32_t set) { return set == 0; }))
                fused.clear();
            table = std::make_shared<const TermTable>(std::move(entries_of_table));
        }
        term.table = table;
        const std::vector<double> &seconds = table->prices.seconds;
        const bool nothing = table->prices.bytes.empty() && table->fused.empty() &&
                             std::all_of(seconds.begin(), seconds.end(), [](double s) { return s == 0; });
        if (!nothing)
            objective_.terms.push_back(std::move(term));
        return true;
    }

    /// Strategies of a layer that bind the loops that matter alike are one class. Equal lists are one object.
    std::shared_ptr<const std::vector<int>> classes(const Structure &structure, int layer) {
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
                    const auto match = std::find_if(loops->begin(), loops->end(),
                                                    [&](int loop) { return nest.loops[loop].name == name; });
                    signature.push_back(match == loops->end() ? -1 : *match);
                }
            }
            result->push_back(ids.emplace(signature, static_cast<int>(ids.size())).first->second);
        }
        return known = std::move(result);
    }

    const sharding::GraphIndex &index_;
    const Graph &graph_;
    const Space &space_;
    const Mesh &mesh_;
    const Machine &machine_;
    const Storage &storage_;
    TermCache &cache_;
    std::vector<cost::Fused> fusion_;
    std::vector<cost::Residence> residence_;
    std::vector<cost::Life> lives_;
    std::vector<LayerStrategy> layers_; ///< scratch: the strategies that are being priced
    Objective objective_;
};

} // namespace

Objective make_objective(const sharding::GraphIndex &index, const Space &space, const Mesh &mesh,
                         const Machine &machine, const Storage &storage, TermCache &cache) {
    return Builder(index, space, mesh, machine, storage, cache).build();
}

double Problems::share(const cost::Life &life, const std::set<int> &operations) {
    if (operations.empty())
        return life.first < 0 ? 1 : 0;
    const auto in_memory = std::distance(operations.lower_bound(life.first), operations.upper_bound(life.last));
    return static_cast<double>(in_memory) / static_cast<double>(operations.size());
}

std::shared_ptr<const Table> Problems::changed(const TermTable &table, std::uint32_t forbidden, double byte_share) {
    auto &known = known_[{&table, forbidden, byte_share}];
    if (known)
        return known;
    auto changed = std::make_shared<Table>(table.prices);
    for (std::size_t i = 0; i < table.fused.size(); ++i)
        if (table.fused[i] & forbidden)
            changed->seconds[i] = std::numeric_limits<double>::infinity();
    for (double &bytes : changed->bytes)
        bytes *= byte_share;
    known = std::move(changed);
    return known;
}

Problem Problems::without(std::uint32_t forbidden, double byte_limit, const std::set<int> &operations) {
    Problem problem;
    problem.domains = objective_.domains;
    problem.byte_limit = byte_limit;
    for (const Term &term : objective_.terms) {
        Factor &factor = problem.factors.emplace_back();
        factor.variables = term.layers;
        factor.class_of = term.class_of;
        factor.classes = term.classes;
        const double byte_share = share(term.life, operations);
        factor.count_bytes = byte_share > 0;
        const bool all_bytes = byte_share == 0 || byte_share == 1 || term.table->prices.bytes.empty();
        if (all_bytes && (forbidden == 0 || term.table->fused.empty()))
            factor.table = {term.table, &term.table->prices};
        else
            factor.table = changed(*term.table, forbidden, all_bytes ? 1 : byte_share);
    }
    return problem;
}

std::uint32_t Problems::used(const std::vector<int> &values) const {
    std::uint32_t sets = 0;
    for (const Term &term : objective_.terms) {
        if (term.table->fused.empty())
            continue;
        std::size_t entry = 0;
        for (std::size_t i = 0; i < term.layers.size(); ++i)
            entry = entry * static_cast<std::size_t>(term.classes[i]) +
                    static_cast<std::size_t>((*term.class_of[i])[values[term.layers[i]]]);
        sets |= term.table->fused[entry];
    }
    return sets;
}

} // namespace planc::plan
