#include "plan/objective.h"

#include "cost/compute.h"
#include "cost/memory.h"
#include "plan/structure.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
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
          cache_(cache), reshards_(mesh), prices_(mesh, machine), fusion_(cost::fusion(index.graph)),
          residence_(cost::residences(index.graph)), lives_(cost::lives(index.graph)),
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
        add(structure, {}, std::move(key), [this, o](TermTable &table) {
            const sharding::Operation &operation = graph_.operations[o];
            const sharding::Strategy strategy = copies_->strategy(o);
            const double times = operation.per_step ? 1 : graph_.microbatches;
            table.prices.seconds.push_back(
                times * cost::seconds_under(strategy, graph_, operation, fusion_[o], mesh_, machine_).value);
        });
    }

    void add_value(int v) {
        const bool stored = residence_[v] != cost::Residence::in_place;
        const Structure structure = Structure::of_value(index_, v);
        std::string key = stored ? "stored " : "in place ";
        key += structure.text(v);
        if (depends_on_storage(v))
            key += storage_text();
        const bool added = add(structure, lives_[v], std::move(key), [this, v, stored](TermTable &table) {
            const ValuePrice price = price_value(*copies_, graph_, mesh_, prices_, v, residence_[v]);
            std::uint32_t fused = 0;
            for (const ValuePrice::Fused &call : price.fused)
                fused |= bucket(call);
            table.prices.seconds.push_back(price.seconds);
            table.fused.push_back(fused);
            if (stored)
                table.prices.bytes.push_back(price.bytes.value);
        });
        if (!added)
            objective_.left_out.push_back(v);
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

    /// Adds a term whose entries `price` appends one by one, reading layers_. False: too many entries.
    template <class Append>
    bool add(const Structure &structure, cost::Life life, std::string key, const Append &price) {
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
        auto &table = cache_.tables[key];
        if (!table)
            table = priced(term, price);
        term.table = table;
        const std::vector<double> &seconds = table->prices.seconds;
        const bool nothing = table->prices.bytes.empty() && table->fused.empty() &&
                             std::all_of(seconds.begin(), seconds.end(), [](double s) { return s == 0; });
        if (!nothing)
            objective_.terms.push_back(std::move(term));
        return true;
    }

    template <class Append> std::shared_ptr<const TermTable> priced(const Term &term, const Append &price) {
        auto table = std::make_shared<TermTable>();
        std::vector<std::vector<int>> first(term.layers.size()); // value of the variable that stands for a class
        for (std::size_t i = 0; i < term.layers.size(); ++i)
            for (int c = 0; c < term.classes[i]; ++c)
                first[i].push_back(static_cast<int>(std::find(term.class_of[i]->begin(), term.class_of[i]->end(), c) -
                                                    term.class_of[i]->begin()));
        std::vector<int> at(term.layers.size(), 0);
        copies_.emplace(index_, mesh_, layers_, storage_, reshards_);
        const auto choose = [&](std::size_t i) {
            layers_[term.layers[i]] = (*space_.options[term.layers[i]])[first[i][at[i]]];
            copies_->forget(term.layers[i]);
        };
        for (std::size_t i = 0; i < at.size(); ++i)
            choose(i);
        while (true) {
            price(*table);
            std::size_t i = at.size();
            while (i-- > 0) {
                const bool next = ++at[i] < term.classes[i];
                if (!next)
                    at[i] = 0;
                choose(i);
                if (next)
                    break;
            }
            if (i == static_cast<std::size_t>(-1))
                break;
        }
        if (std::all_of(table->fused.begin(), table->fused.end(), [](std::uint32_t set) { return set == 0; }))
            table->fused.clear();
        return table;
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
    sharding::Reshards reshards_;
    cost::StepPrices prices_;
    std::vector<cost::Fused> fusion_;
    std::vector<cost::Residence> residence_;
    std::vector<cost::Life> lives_;
    std::vector<LayerStrategy> layers_;      ///< scratch: the strategies that are being priced
    std::optional<sharding::Copies> copies_; ///< under them
    Objective objective_;
};

} // namespace

ValuePrice price_value(sharding::Copies &all, const Graph &graph, const Mesh &mesh, cost::StepPrices &prices, int value,
                       cost::Residence residence) {
    const std::vector<sharding::Copy> copies = all.of(value);
    ValuePrice result;
    result.bytes = cost::copies_bytes(graph, value, residence, copies, mesh);
    for (const sharding::Copy &copy : copies)
        for (const sharding::Step &step : copy.steps) {
            const cost::Price price =
                sharding::times(graph, value, copy) * prices.of(step, graph.values[value].element_bytes).price;
            result.seconds += price.transfer.value + price.arithmetic.value;
            if (sharding::fusable(graph, mesh, value, copy))
                result.fused.push_back({step.axes, copy.phase == sharding::Phase::update, price.latency.value});
            else
                result.seconds += price.latency.value;
        }
    return result;
}

Objective make_objective(const sharding::GraphIndex &index, const Space &space, const Mesh &mesh,
                         const Machine &machine, const Storage &storage, TermCache &cache) {
    return Builder(index, space, mesh, machine, storage, cache).build();
}

Problem Problems::without(std::uint32_t forbidden, double byte_limit, int operation) {
    Problem problem;
    problem.domains = objective_.domains;
    problem.byte_limit = byte_limit;
    for (const Term &term : objective_.terms) {
        Factor &factor = problem.factors.emplace_back();
        factor.variables = term.layers;
        factor.class_of = term.class_of;
        factor.classes = term.classes;
        factor.count_bytes = term.life.first <= operation && operation <= term.life.last;
        if (forbidden == 0 || term.table->fused.empty()) {
            factor.table = {term.table, &term.table->prices};
            continue;
        }
        auto &known = known_[{term.table.get(), forbidden}];
        if (!known) {
            auto table = std::make_shared<Table>(term.table->prices);
            for (std::size_t i = 0; i < table->seconds.size(); ++i)
                if (term.table->fused[i] & forbidden)
                    table->seconds[i] = std::numeric_limits<double>::infinity();
            known = std::move(table);
        }
        factor.table = known;
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
