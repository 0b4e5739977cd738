#include "certificate/check_part.h"

#include "certificate/space.h"
#include "cost/reports/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace planc::certificate {

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

namespace {

constexpr double rounding_of_search = 1e-9; ///< sums in another order
constexpr int most_contradictions = 50;     ///< plans of a part that are priced
// What a proof may add and subtract, in costs of the plan: with huge numbers, rounding would prove what is false.
constexpr double most_moved = 10;
constexpr double most_of_memory = 1e5;

bool is_moderate(const Messages &messages, double cost) {
    for (const auto &of_factor : messages)
        for (const std::vector<double> &message : of_factor)
            for (const double seconds : message)
                if (!(std::abs(seconds) <= most_moved * cost))
                    return false;
    return true;
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

/// `limit`: bytes. `cost`: of the plan, in seconds.
void check_weights(const Weights &weights, double limit, double cost, const sharding::Graph &graph,
                   const std::string &where) {
    const double of_memory = weights.seconds_per_byte * limit;
    bool right = weights.seconds_per_byte >= 0 && of_memory <= most_of_memory * cost &&
                 (limit > 0 || weights.seconds_per_byte == 0) && weights.penalty >= 0 &&
                 weights.penalty <= most_moved * cost && weights.operation >= OperationId() &&
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
    /// `searched`: the bound that the search claims. `cost`: of the plan.
    PartCheck(const Part &part, const StepScopes &step, Pricing &pricing, const plan::Request &request, double searched,
              double cost)
        : part_(part), request_(request), cost_(cost), where_(words(part)),
          options_(strategies(request, {part.axes, {part.sizes}})),
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
        open_.push_back({0, std::move(all), {}, false});
        while (!open_.empty()) {
            Open next = std::move(open_.back());
            open_.pop_back();
            if (next.node < 0 || next.node >= static_cast<int>(part_.nodes.size()) || seen_[next.node])
                fail("a branch of the proof is missing");
            seen_[next.node] = true;
            const Node &node = part_.nodes[next.node];
            check(node, std::move(next));
        }
    }

  private:
    struct Open {
        int node = 0;
        Kept kept;
        std::map<SharedCall, bool> occurs;
        bool proved = false; ///< no plan of the node is below the target; the rest may still contradict the search
    };

    [[noreturn]] void fail(const std::string &what) const { throw Wrong{where_ + ": " + what}; }

    void check(const Node &node, Open open) {
        Kept &kept = open.kept;
        bool &proved = open.proved;
        if (is_one(kept)) {
            if (const double cost = price_of_one(kept, part_, request_, options_); !proved && !(cost >= target_))
                fail("there is a plan of " + text(cost) + " s, but it claims " + text(part_.lower_bound));
            return contradict_search(kept);
        }
        check_weights(node.weights, byte_limit(request_), cost_, request_.graph, where_);
        Weights weights = node.weights;
        weights.occurs = open.occurs;
        terms_.weigh(weights);
        const double enough = std::max(target_, searched_);
        for (const Round &round : node.rounds) {
            std::vector<Factor> factors = terms_.factors(kept, round.whole);
            const std::optional<Messages> messages = messages_of(round, factors);
            if (!messages)
                fail("the messages do not fit the network");
            if (!is_moderate(*messages, cost_))
                fail("its messages are too large to prove a bound");
            const Bounds found = bounds(terms_, kept, factors, *messages, round.whole, enough);
            if (found.total >= enough)
                return;
            contradict_search(most_promising(kept, found));
            proved |= found.total >= target_;
            if (round.kept.empty())
                return branch(node, open, found);
            check_left_out(kept, round.kept, found, proved ? -std::numeric_limits<double>::infinity() : target_, where_,
                           request_.graph);
            kept = round.kept;
            if (is_none(kept))
                return;
        }
        if (!proved)
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

    /// Checks that the branches cover all strategies of a layer that cheaper plans may use, or both cases of a call.
    void branch(const Node &node, const Open &open, const Bounds &found) {
        const Kept &kept = open.kept;
        const bool proved = open.proved;
        if (node.call)
            return branch_on_call(node, open);
        if (!kept.contains(node.layer) && proved)
            return;
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
                open_.push_back({branch.node, std::move(rest), open.occurs, proved});
        }
        for (std::size_t x = 0; x < all.size(); ++x)
            if (!covered[x] && !proved && !(found.of[node.layer][x] >= target_))
                fail("there is no bound for plans of " + text(found.of[node.layer][x]) + " s, but it claims " +
                     text(part_.lower_bound));
    }

    void branch_on_call(const Node &node, const Open &open) {
        bool right = may_branch_on(*node.call) && !node.layer && !open.occurs.contains(*node.call);
        for (const int occurs : {0, 1}) {
            const auto branch = std::find_if(node.branches.begin(), node.branches.end(), [&](const Node::Branch &each) {
                return each.kept == std::vector<int>{occurs};
            });
            right &= open.proved || branch != node.branches.end();
            if (branch == node.branches.end())
                continue;
            Open &next = open_.emplace_back(open);
            next.node = branch->node;
            next.occurs[*node.call] = occurs > 0;
        }
        if (!right)
            fail("its branches on a shared call do not prove a bound");
    }

    /// Whether these are gradients over axes of the mesh, in the order of sharding::Step. Others may not share a call,
    /// or have other latencies.
    [[nodiscard]] bool may_branch_on(const SharedCall &call) {
        const bool is_of_mesh = !call.axes.empty() && call.axes.front() >= 0 &&
                                call.axes.back() < static_cast<int>(part_.sizes.size()) &&
                                std::is_sorted(call.axes.begin(), call.axes.end(), std::less_equal<>());
        if (call.update || call.element_bytes <= 0 || !is_of_mesh)
            return false;
        return terms_.pricing().latency(call) > 0;
    }

    const Part &part_;
    const plan::Request &request_;
    double cost_;
    std::string where_;
    PerLayer<Strategies> options_;
    Terms terms_;
    double target_;
    double searched_; ///< the bound that the search claims, if it is above that of the part; 0: it is not
    int contradictions_ = 0;
    std::vector<bool> seen_; ///< per node
    std::vector<Open> open_;
};

} // namespace

void check_part(const Part &part, const StepScopes &step, Pricing &pricing, const plan::Request &request,
                double searched, double cost) {
    PartCheck(part, step, pricing, request, searched, cost).run();
}

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

} // namespace planc::certificate
