#include "plan/relaxation.h"

#include "plan/term_builder.h"
#include "sharding/joint_sums.h"

namespace planc::plan {

namespace {

class Relaxation : TermBuilder {
  public:
    Relaxation(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
               const Storage &storage, TermCache &cache)
        : TermBuilder(step, space, mesh, machine, storage, cache) {}

    Objective build() {
        for (int o = 0; o < static_cast<int>(graph_.operations.size()); ++o)
            add_operation(o);
        for (int v = 0; v < static_cast<int>(graph_.values.size()); ++v)
            if (step_.value_layers[v].size() <= 1)
                add_value(v);
            else if (graph_.values[v].kind != sharding::ValueKind::free)
                bound_value(v);
        return finished();
    }

  private:
    /// All copies are made from where the value lies: what any need takes bounds them together. A term per pair of
    /// layers, of which each counts for its part.
    void bound_value(int v) {
        const std::vector<sharding::Need> needs = sharding::needs(index_, v);
        const std::vector<int> origin = sharding::layers_of_origin(index_, v);
        std::map<std::vector<int>, std::vector<int>> by_layers; // layers -> needs
        for (int n = 0; n < static_cast<int>(needs.size()); ++n) {
            const std::vector<int> wanted = layers_of(needs[n]);
            std::vector<int> both;
            std::set_union(origin.begin(), origin.end(), wanted.begin(), wanted.end(), std::back_inserter(both));
            if (both.size() <= 2)
                by_layers[both].push_back(n);
        }
        join_contained(by_layers);
        const double share = times(v, needs) / static_cast<double>(by_layers.size());
        for (const auto &[layers, of_layers] : by_layers) {
            std::string key = "bound " + std::to_string(step_.value_kind[v]);
            for (int need : of_layers)
                key += ' ' + std::to_string(need);
            if (depends_on_storage(v))
                key += storage_text();
            const Term term = scoped(step_.values[v], layers, key);
            add(term, key, [&](const Term &priced, TermTable &table) {
                for (int need : of_layers)
                    bound_need(v, needs[need], share, priced, table.prices.seconds);
            });
        }
    }

    /// What layers within others' need bounds the same copies: it stands with these, of which each counts for more.
    static void join_contained(std::map<std::vector<int>, std::vector<int>> &by_layers) {
        for (auto within = by_layers.begin(); within != by_layers.end();) {
            bool is_contained = false;
            for (auto &[layers, needs] : by_layers)
                if (layers.size() > within->first.size() &&
                    std::includes(layers.begin(), layers.end(), within->first.begin(), within->first.end())) {
                    needs.insert(needs.end(), within->second.begin(), within->second.end());
                    is_contained = true;
                }
            within = is_contained ? by_layers.erase(within) : std::next(within);
        }
    }

    /// Raises the entries to what this need takes.
    void bound_need(int v, const sharding::Need &need, double share, const Term &term, std::vector<double> &seconds) {
        const sharding::Value &value = graph_.values[v];
        sharding::Reshards &reshards = cache_.reshards.of(value.extents);
        const Column from = origin(term, v);
        const Column to = wanted(term, v, need);
        const bool alone = pays_latency(v);
        seconds.resize(static_cast<std::size_t>(entries(term)), 0.0);
        std::size_t entry = 0;
        TransferBounds::OfShape &transfers = cache_.transfers.of(reshards);
        const std::size_t second = term.classes.size() > 1 ? 1 : 0;
        for (int a = 0; a < term.classes[0]; ++a)
            for (int b = 0; b < (second == 0 ? 1 : term.classes[1]); ++b, ++entry) {
                const int x = from.strides[0] * a + (second == 0 ? 0 : from.strides[1] * b);
                const int y = to.strides[0] * a + (second == 0 ? 0 : to.strides[1] * b);
                const bool latency = alone || !may_share_call(v, from.numbers[x], to.numbers[y]);
                const cost::Seconds least =
                    transfers.seconds(from.numbers[x], to.numbers[y], value.element_bytes, latency);
                seconds[entry] = std::max(seconds[entry], share * least.value);
            }
    }

    /// Neither in a bucket nor with a companion, under any choice.
    [[nodiscard]] bool pays_latency(int v) const {
        return index_.companion[v] < 0 &&
               std::none_of(
                   index_.uses[v].begin(), index_.uses[v].end(),
                   [this](const sharding::Use &use) {
                       return graph_.operations[use.operation].phase == sharding::Phase::update;
                   });
    }

    /// May a copy of such a value travel in a bucket or with its companion? Only where all that it takes is one
    /// all-reduce, not too large.
    [[nodiscard]] bool may_share_call(int v, int from, int to) {
        const sharding::Value &value = graph_.values[v];
        const sharding::Reshards &reshards = cache_.reshards.of(value.extents);
        const sharding::Placement &lies = reshards.placement(from);
        const sharding::Placement &wanted = reshards.placement(to);
        const std::int64_t most = index_.companion[v] < 0
                                      ? sharding::largest_fused_bytes
                                      : std::max(sharding::largest_fused_bytes, sharding::largest_joint_bytes);
        return lies.dimensions == wanted.dimensions && lies.stored == wanted.stored &&
               planrt::largest_volume(wanted, mesh_) * value.element_bytes <= most;
    }

    /// How often a step makes a copy at least.
    [[nodiscard]] double times(int v, const std::vector<sharding::Need> &needs) const {
        const int producer = graph_.values[v].producer;
        const bool each = std::all_of(needs.begin(), needs.end(), [this](const sharding::Need &need) {
            return need.operand >= 0 && !graph_.operations[need.operation].per_step;
        });
        const bool once =
            producer >= 0 && (graph_.operations[producer].per_step || graph_.operations[producer].accumulates);
        return each && !once ? graph_.microbatches : 1;
    }
};

} // namespace

Objective relaxed_objective(const StepStructure &step, const Space &space, const Mesh &mesh, const Machine &machine,
                            const Storage &storage, TermCache &cache) {
    return Relaxation(step, space, mesh, machine, storage, cache).build();
}

} // namespace planc::plan
