#include "certificate/certificate.h"
#include "certificate/space.h"

#include "cost/reports/report.h"
#include "support/parallel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace planc::certificate {

namespace {

constexpr double rounding = 1e-12;
constexpr double rounding_of_search = 1e-9; ///< sums in another order
constexpr int most_contradictions = 50;     ///< plans of a part that are priced

/// Thrown inside this file only.
struct Wrong {
    std::string line;
};

bool equal(double a, double b) {
    return std::isfinite(a) && std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

std::string words(const Part &part) {
    std::string text = "mesh";
    for (std::size_t axis = 0; axis < part.axes.size(); ++axis)
        text += " " + part.axes[axis] + " " + std::to_string(part.sizes[axis]);
    const std::string stored = cost::storage_words(part.storage, part.axes);
    return text + (stored.empty() ? "" : ", " + stored.substr(0, stored.find('\n')));
}

void check_asked(const Asked &claimed, const Asked &asked) {
    if (claimed.network != asked.network)
        throw Wrong{"it belongs to another network: operations, extents or dimensions differ"};
    if (claimed.machine != asked.machine)
        throw Wrong{"it belongs to a machine with other figures"};
    if (claimed.ranks != asked.ranks)
        throw Wrong{"it is for " + std::to_string(claimed.ranks) + " ranks, not for " + std::to_string(asked.ranks)};
    if (claimed.rules != asked.rules)
        throw Wrong{"it belongs to other rules of layout, mesh or storage"};
    if (claimed.memory_limit != asked.memory_limit)
        throw Wrong{"it is for a memory limit of " + cost::grouped(claimed.memory_limit) + " bytes a rank, not of " +
                    cost::grouped(asked.memory_limit)};
}

/// Checks that rules and mesh allow the plan.
void check_plan(const Certificate &claimed, const plan::Request &request) {
    const std::vector<Shape> allowed = shapes(request);
    const auto shape = std::find_if(allowed.begin(), allowed.end(), [&](const Shape &each) {
        return each.axes == claimed.axes && each.mesh.sizes == claimed.sizes;
    });
    if (shape == allowed.end())
        throw Wrong{"its mesh is not one that " + std::to_string(request.ranks) + " ranks may form"};
    const std::vector<Storage> stored = storages(request, shape->mesh, shape->axes);
    if (std::find(stored.begin(), stored.end(), claimed.storage) == stored.end())
        throw Wrong{"its storage is not among the choices"};
    const auto options = strategies(request, *shape);
    if (claimed.layers.size() != options.size())
        throw Wrong{"it has " + std::to_string(claimed.layers.size()) + " layers, the network " +
                    std::to_string(options.size())};
    for (const LayerId l : options.ids()) {
        if (claimed.layers[l.index()].name != request.graph.layers[l].name)
            throw Wrong{"its layer '" + claimed.layers[l.index()].name + "' is '" + request.graph.layers[l].name +
                        "' of the network"};
        if (std::find(options[l].begin(), options[l].end(), claimed.layers[l.index()].strategy) == options[l].end())
            throw Wrong{"the strategy of layer '" + claimed.layers[l.index()].name + "' breaks the rules"};
    }
}

void compare(const std::string &what, double claimed, double found, const char *unit) {
    if (!equal(claimed, found))
        throw Wrong{what + " " + text(found) + unit + ", but it claims " + text(claimed)};
}

/// Checks the cost of the plan, by cost::price().
void check_cost(const Certificate &claimed, const plan::Request &request) {
    LayerStrategies layers;
    for (const LayerClaim &layer : claimed.layers)
        layers.push_back(layer.strategy);
    const cost::CostTable table = plan::evaluate(request, {claimed.sizes}, claimed.axes, layers, claimed.storage);
    double reshards = 0;
    double latency = 0;
    for (const cost::CollectiveRow &row : table.reshards)
        reshards += row.price.seconds().value;
    for (const cost::BucketRow &row : table.buckets)
        latency += row.price.seconds().value;
    compare("a step takes", claimed.cost, table.seconds().value, " s");
    compare("its compute takes", claimed.compute, table.compute.value, " s");
    compare("its communication takes", claimed.communication, table.communication.value, " s");
    compare("its reshards take", claimed.reshards, reshards, " s");
    compare("the latency of fused calls is", claimed.latency, latency, " s");
    for (const LayerId l : table.layers.ids()) {
        const cost::LayerRow &row = table.layers[l];
        const double compute = row.compute_seconds().value;
        compare("the compute of layer '" + row.name + "' takes", claimed.layers[l.index()].compute, compute, " s");
        compare("the communication of layer '" + row.name + "' takes", claimed.layers[l.index()].communication,
                (row.seconds() - row.compute_seconds()).value, " s");
    }
    const double memory = table.memory.total().value;
    compare("a rank needs", claimed.memory, memory, " bytes");
    if (const double limit = byte_limit(request); limit > 0 && memory > limit)
        throw Wrong{"a rank needs " + text(memory) + " bytes, but the limit is " + text(limit)};
    if (!(claimed.search_lower_bound <= claimed.cost))
        throw Wrong{"the bound of the search is above the cost"};
    if (!(claimed.lower_bound <= claimed.cost * (1 + rounding)))
        throw Wrong{"the lower bound is above the cost"};
    compare("the gap is", claimed.gap, claimed.cost > 0 ? (claimed.cost - claimed.lower_bound) / claimed.cost : 0, "");
}

/// Checks that every pruned strategy was pruned for a reason.
void check_left_out(const Kept &kept, const Kept &next, const Bounds &bounds, double target, const std::string &where,
                    const sharding::Graph &graph) {
    if (next.size() != kept.size())
        throw Wrong{where + ": the strategies of some layers are missing"};
    for (const LayerId l : kept.ids()) {
        if (!std::includes(kept[l].begin(), kept[l].end(), next[l].begin(), next[l].end()))
            throw Wrong{where + ": layer '" + graph.layers[l].name + "' keeps a strategy that does not exist"};
        for (std::size_t x = 0; x < kept[l].size(); ++x)
            if (!std::binary_search(next[l].begin(), next[l].end(), kept[l][x]) && !(bounds.of[l][x] >= target))
                throw Wrong{where + ": a strategy of layer '" + graph.layers[l].name + "' is pruned, but a plan of " +
                            text(bounds.of[l][x]) + " s may use it"};
    }
}

void check_weights(const Weights &weights, const sharding::Graph &graph, const std::string &where) {
    bool right = weights.seconds_per_byte >= 0 && weights.operation >= OperationId() &&
                 weights.operation < graph.end_of_program();
    for (const auto &[call, values] : weights.latency)
        right &= !values.empty() && values.front() && values.back() < graph.values.end_id() &&
                 std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
    if (!right)
        throw Wrong{where + ": the weights do not prove a bound"};
}

/// The proof of one mesh and storage, node by node.
class PartCheck {
  public:
    /// `searched`: the bound that the search claims.
    PartCheck(const Part &part, const StepScopes &step, Pricing &pricing, const plan::Request &request, double searched)
        : part_(part), request_(request), where_(words(part)), options_(strategies(request, {part.axes, {part.sizes}})),
          terms_(step, pricing, part.storage, byte_limit(request), options_),
          target_(part.lower_bound * (1 - rounding)),
          searched_(searched > part.lower_bound * (1 + rounding_of_search) ? searched * (1 - rounding_of_search) : 0),
          seen_(part.nodes.size(), false) {}

    /// Checks that no plan costs less than the part claims, and that no plan that it meets contradicts the search.
    void run() {
        Kept all(options_.size());
        for (const LayerId l : all.ids())
            for (int x = 0; x < static_cast<int>(options_[l].size()); ++x)
                all[l].push_back(x);
        open_.emplace_back(0, std::move(all));
        while (!open_.empty()) {
            auto [node, kept] = std::move(open_.back());
            open_.pop_back();
            if (node < 0 || node >= static_cast<int>(part_.nodes.size()) || seen_[node])
                fail("a branch of the proof is missing");
            seen_[node] = true;
            check(part_.nodes[node], std::move(kept));
        }
    }

  private:
    [[noreturn]] void fail(const std::string &what) const { throw Wrong{where_ + ": " + what}; }

    void check(const Node &node, Kept kept) {
        if (is_one(kept)) {
            if (const double cost = price_of_one(kept, part_, request_, options_); !(cost >= target_))
                fail("there is a plan of " + text(cost) + " s, but it claims " + text(part_.lower_bound));
            return contradict_search(kept);
        }
        check_weights(node.weights, request_.graph, where_);
        terms_.weigh(node.weights);
        for (const Round &round : node.rounds) {
            std::vector<Factor> factors = terms_.factors(kept, round.whole);
            const std::optional<Messages> messages = messages_of(round, factors);
            if (!messages)
                fail("the messages do not fit the network");
            const Bounds found = bounds(terms_, kept, factors, *messages, round.whole, std::max(target_, searched_));
            if (!found.of.empty() && found.total < searched_)
                contradict_search(most_promising(kept, found));
            if (found.total >= target_)
                return;
            if (round.kept.empty())
                return branch(node, kept, found);
            check_left_out(kept, round.kept, found, target_, where_, request_.graph);
            kept = round.kept;
            if (is_none(kept))
                return;
        }
        fail("the proof is incomplete");
    }

    /// Where the proof does not reach what the search claims: checks that this plan does not take less than that.
    void contradict_search(const Kept &plan) {
        if (searched_ == 0 || ++contradictions_ > most_contradictions)
            return;
        if (const double cost = price_of_one(plan, part_, request_, options_); cost < searched_)
            fail("there is a plan of " + text(cost) + " s, but the search claims that none takes less than " +
                 text(searched_));
    }

    /// Checks that the branches cover all strategies of a layer that cheaper plans may use.
    void branch(const Node &node, const Kept &kept, const Bounds &found) {
        if (!kept.contains(node.layer))
            fail("the messages prove " + text(found.total) + " s, but it claims " + text(part_.lower_bound));
        const std::vector<int> &all = kept[node.layer];
        std::vector<bool> covered(all.size(), false);
        for (const Node::Branch &branch : node.branches) {
            Kept rest = kept;
            rest[node.layer].clear();
            for (std::size_t x = 0; x < all.size(); ++x)
                if (std::count(branch.kept.begin(), branch.kept.end(), all[x]) > 0) {
                    covered[x] = true;
                    rest[node.layer].push_back(all[x]);
                }
            if (!rest[node.layer].empty())
                open_.emplace_back(branch.node, std::move(rest));
        }
        for (std::size_t x = 0; x < all.size(); ++x)
            if (!covered[x] && !(found.of[node.layer][x] >= target_))
                fail("there is no bound for plans of " + text(found.of[node.layer][x]) + " s, but it claims " +
                     text(part_.lower_bound));
    }

    const Part &part_;
    const plan::Request &request_;
    std::string where_;
    PerLayer<Strategies> options_;
    Terms terms_;
    double target_;
    double searched_; ///< the bound that the search claims, if it is above that of the part; 0: it is not
    int contradictions_ = 0;
    std::vector<bool> seen_; ///< per node
    std::vector<std::pair<int, Kept>> open_;
};

/// Checks that every mesh and storage of the space has its part, and that none is below the bound.
void check_parts(const Certificate &claimed, const plan::Request &request) {
    std::size_t count = 0;
    for (const Shape &shape : shapes(request))
        for (const Storage &storage : storages(request, shape.mesh, shape.axes)) {
            const auto matches = std::count_if(claimed.parts.begin(), claimed.parts.end(), [&](const Part &part) {
                return part.axes == shape.axes && part.sizes == shape.mesh.sizes && part.storage == storage;
            });
            ++count;
            if (matches != 1)
                throw Wrong{
                    words({shape.axes, shape.mesh.sizes, storage, 0, {}}) +
                    (matches == 0 ? ": there is no bound for its plans" : ": there are two bounds for its plans")};
        }
    if (count != claimed.parts.size())
        throw Wrong{"it has bounds for " + std::to_string(claimed.parts.size()) +
                    " meshes and storages, but there are " + std::to_string(count)};
    double least = std::numeric_limits<double>::infinity();
    for (const Part &part : claimed.parts)
        least = std::min(least, part.lower_bound);
    compare("the least bound of all meshes is", claimed.lower_bound, least, " s");
    const sharding::GraphIndex index(request.graph);
    const StepScopes step(index, request.machine, request.larger ? request.larger->count : 0);
    const std::vector<std::size_t> meshes = first_parts(claimed.parts);
    std::vector<std::string> wrong(meshes.size() - 1);
    support::in_parallel(wrong.size(), [&](std::size_t m) {
        try {
            const Mesh mesh{claimed.parts[meshes[m]].sizes};
            Pricing pricing(step, mesh, request.machine);
            for (std::size_t p = meshes[m]; p < meshes[m + 1]; ++p)
                PartCheck(claimed.parts[p], step, pricing, request, claimed.search_lower_bound).run();
        } catch (const Wrong &found) {
            wrong[m] = found.line;
        }
    });
    for (const std::string &line : wrong)
        if (!line.empty())
            throw Wrong{line};
}

} // namespace

std::optional<Messages> messages_of(const Round &round, const std::vector<Factor> &factors) {
    Messages messages;
    std::size_t at = 0;
    for (const Factor &factor : factors) {
        messages.emplace_back();
        for (const int classes : factor.classes) {
            if (at == round.messages.size())
                return std::nullopt;
            const std::vector<std::int64_t> &given = round.messages[at++];
            std::vector<double> &message = messages.back().emplace_back(classes, 0.0);
            if (!given.empty() && given.size() != message.size())
                return std::nullopt;
            for (std::size_t c = 0; c < given.size(); ++c)
                message[c] = static_cast<double>(given[c]) * round.unit;
        }
    }
    if (at != round.messages.size())
        return std::nullopt;
    return messages;
}

std::string check(const Certificate &certificate, const plan::Request &request) {
    try {
        check_asked(certificate.asked, asked(request));
        check_plan(certificate, request);
        check_cost(certificate, request);
        check_parts(certificate, request);
        return {};
    } catch (const Wrong &wrong) {
        return wrong.line;
    }
}

} // namespace planc::certificate
