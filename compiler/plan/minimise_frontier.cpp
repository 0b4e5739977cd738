#include "plan/elimination.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::plan {

namespace {

/// How a point of a frontier arose: from a value of a variable, or from two other points.
struct Story {
    int variable = -1;
    int value = 0;
    int left = -1;
    int right = -1;
};

struct Point {
    double seconds = 0;
    double bytes = 0;
    int story = -1;
};
using Frontier = std::vector<Point>; ///< ascending seconds, descending bytes

/// A message of an elimination: per assignment of `variables`, row-major, a frontier.
struct Message {
    Function shape; ///< variables and offsets only
    std::vector<Frontier> frontiers;
    bool used = false;
};

struct Candidate {
    double seconds = 0;
    double bytes = 0;
    int left = -1;
    int right = -1;
    int value = -1;
};

/// Frontiers thinned to fewer points than this find nothing that prices of memory do not find.
constexpr std::size_t shortest_cap = 128;

class Frontiers {
  public:
    Frontiers(const std::vector<int> &domains, const std::vector<Function> &functions, double byte_limit,
              double at_most)
        : domains_(domains), functions_(functions), byte_limit_(byte_limit), at_most_(at_most) {}

    FrontierResult run(const std::vector<Bucket> &order, std::size_t budget) {
        double combinations = 1;
        for (const Bucket &bucket : order)
            combinations += table_size(domains_, bucket.scope) * domains_[bucket.variable];
        longest_ = static_cast<std::size_t>(static_cast<double>(budget) / combinations);
        FrontierResult result;
        if (longest_ < shortest_cap) {
            result.complete = false;
            return result;
        }
        std::vector<bool> used(functions_.size(), false);
        for (const Bucket &bucket : order)
            eliminate(bucket, used);
        Frontier all{{0, 0, -1}};
        for (const Function &function : functions_)
            if (function.variables.empty())
                for (Point &point : all) {
                    point.seconds += (*function.seconds)[0];
                    point.bytes += function.bytes ? (*function.bytes)[0] : 0;
                }
        for (const Message &message : messages_)
            if (!message.used)
                all = joined(all, message.frontiers[0], -1);
        result.complete = !thinned_;
        result.feasible = !all.empty();
        if (result.feasible) {
            result.values.assign(domains_.size(), 0);
            tell(all.front().story, result.values);
        }
        return result;
    }

  private:
    void eliminate(const Bucket &bucket, std::vector<bool> &used) {
        const int variable = bucket.variable;
        std::vector<const Function *> terms;
        std::size_t tables = 0;
        for (std::size_t f = 0; f < functions_.size(); ++f)
            if (!used[f] && mentions(functions_[f], variable)) {
                used[f] = true;
                terms.push_back(&functions_[f]);
            }
        tables = terms.size();
        std::vector<Message *> incoming;
        for (Message &message : messages_)
            if (!message.used && mentions(message.shape, variable)) {
                message.used = true;
                incoming.push_back(&message);
                terms.push_back(&message.shape);
            }
        Message outgoing;
        outgoing.shape.variables = bucket.scope;
        Odometer odometer(domains_, bucket.scope, terms);
        do {
            std::vector<Candidate> candidates;
            for (int value = 0; value < domains_[variable]; ++value) {
                Point sum;
                std::vector<const Frontier *> frontiers;
                for (std::size_t t = 0; t < terms.size(); ++t) {
                    const std::size_t at =
                        odometer.offset(t) + static_cast<std::size_t>(offset(*terms[t], variable, value));
                    if (t >= tables) {
                        frontiers.push_back(&incoming[t - tables]->frontiers[at]);
                        continue;
                    }
                    sum.seconds += (*terms[t]->seconds)[at];
                    sum.bytes += terms[t]->bytes ? (*terms[t]->bytes)[at] : 0;
                }
                append(candidates, sum, frontiers, value);
            }
            outgoing.frontiers.push_back(kept(std::move(candidates), variable));
        } while (odometer.next());
        int stride = 1;
        outgoing.shape.offsets.resize(bucket.scope.size());
        for (std::size_t i = bucket.scope.size(); i-- > 0;) {
            auto offsets = std::make_shared<std::vector<int>>();
            for (int value = 0; value < domains_[bucket.scope[i]]; ++value)
                offsets->push_back(value * stride);
            outgoing.shape.offsets[i] = std::move(offsets);
            stride *= domains_[bucket.scope[i]];
        }
        for (Message *message : incoming)
            message->frontiers.clear();
        messages_.push_back(std::move(outgoing));
    }

    static bool mentions(const Function &function, int variable) {
        return std::find(function.variables.begin(), function.variables.end(), variable) != function.variables.end();
    }
    static int offset(const Function &function, int variable, int value) {
        for (std::size_t i = 0; i < function.variables.size(); ++i)
            if (function.variables[i] == variable)
                return (*function.offsets[i])[value];
        return 0;
    }

    [[nodiscard]] bool outside(double seconds, double bytes) const {
        return bytes > byte_limit_ || seconds > at_most_ || std::isinf(seconds);
    }

    /// The candidates of one value of the variable: the sum of the tables with every point of the frontiers' sum.
    void append(std::vector<Candidate> &candidates, const Point &sum, const std::vector<const Frontier *> &frontiers,
                int value) {
        if (outside(sum.seconds, sum.bytes))
            return;
        Frontier all{sum};
        for (const Frontier *frontier : frontiers)
            all = joined(all, *frontier, -1);
        for (const Point &point : all)
            candidates.push_back({point.seconds, point.bytes, point.story, -1, value});
    }

    Frontier joined(const Frontier &a, const Frontier &b, int variable) {
        std::vector<Candidate> candidates;
        for (const Point &p : a)
            for (const Point &q : b)
                if (!outside(p.seconds + q.seconds, p.bytes + q.bytes))
                    candidates.push_back({p.seconds + q.seconds, p.bytes + q.bytes, p.story, q.story, -1});
        return kept(std::move(candidates), variable);
    }

    /// The candidates that no other one dominates; at most longest_ of them.
    Frontier kept(std::vector<Candidate> candidates, int variable) {
        std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
            return a.seconds < b.seconds || (a.seconds == b.seconds && a.bytes < b.bytes);
        });
        std::vector<Candidate> best;
        for (const Candidate &candidate : candidates)
            if (best.empty() || candidate.bytes < best.back().bytes)
                best.push_back(candidate);
        if (best.size() > longest_) {
            thinned_ = true;
            std::vector<Candidate> few;
            for (std::size_t i = 0; i < longest_; ++i)
                few.push_back(best[i * (best.size() - 1) / (longest_ - 1)]);
            best = std::move(few);
        }
        Frontier frontier;
        for (const Candidate &candidate : best)
            frontier.push_back({candidate.seconds, candidate.bytes, story(candidate, variable)});
        return frontier;
    }

    int story(const Candidate &candidate, int variable) {
        if (candidate.value < 0 && (candidate.left < 0 || candidate.right < 0))
            return std::max(candidate.left, candidate.right);
        stories_.push_back({candidate.value < 0 ? -1 : variable, candidate.value, candidate.left, candidate.right});
        return static_cast<int>(stories_.size()) - 1;
    }

    void tell(int root, std::vector<int> &values) const {
        std::vector<int> open{root};
        while (!open.empty()) {
            const int at = open.back();
            open.pop_back();
            if (at < 0)
                continue;
            if (stories_[at].variable >= 0)
                values[stories_[at].variable] = stories_[at].value;
            open.push_back(stories_[at].left);
            open.push_back(stories_[at].right);
        }
    }

    const std::vector<int> &domains_;
    const std::vector<Function> &functions_;
    double byte_limit_;
    double at_most_;
    std::size_t longest_ = 8;
    bool thinned_ = false;
    std::vector<Message> messages_;
    std::vector<Story> stories_;
};

} // namespace

FrontierResult minimise_frontier(const std::vector<int> &domains, const std::vector<Function> &functions,
                                 const std::vector<Bucket> &order, double byte_limit, double at_most,
                                 std::size_t budget) {
    return Frontiers(domains, functions, byte_limit, at_most).run(order, budget);
}

} // namespace planc::plan
