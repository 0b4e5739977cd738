#include "plan/search/search.h"
#include "plan/numbers.h"
#include "plan/search/split_search.h"
#include "plan/solver/elimination.h"

#include <algorithm>
#include <bit>
#include <set>

namespace planc::plan {

namespace {

constexpr int most_branches = 64;
constexpr int most_tightenings = 10;
constexpr int most_halvings = 2;         ///< of what the limit was lowered by
constexpr double worth_branching = 1e-3; ///< of the seconds, where memory decides and a gap remains anyway

class MeshSearch {
  public:
    MeshSearch(const Request &request, const StepStructure &step, const MeshShape &shape, const Space &space,
               const Storage &storage, TermCache &cache, const SearchLimits &limits)
        : request_(request), step_(step), index_(step.index), shape_(shape), space_(space), storage_(storage),
          objective_(
              std::make_shared<Objective>(make_objective(step, space, shape.mesh, request.machine, storage, cache))),
          known_(cache.known), problems_(*objective_, request.effort), byte_limit_(limits.bytes),
          give_up_at_(limits.give_up_at), most_work_(limits.work) {}

    double least_memory() { return fits() ? 0 : found_.least_bytes; }

    /// Each time with the peak of the last plan counted too, as long as that gives smaller plans.
    Found smallest() {
        Found smallest;
        for (int i = 0; i < most_tightenings; ++i) {
            const Solution least = plan::smallest(problems_.without(0, byte_limit_, counted_), memo_);
            if (!least.feasible || !offered_.insert(least.values).second)
                break;
            SharedCost cost = priced(least.values);
            peak_ = cost->memory.peak;
            if (!smallest.feasible || cost->memory.total() < smallest.cost->memory.total()) {
                smallest.feasible = true;
                smallest.values = least.values;
                smallest.cost = std::move(cost);
            }
            if (!count_at_peak())
                break;
        }
        if (smallest.feasible)
            smallest.layers = chosen(space_, smallest.values);
        return smallest;
    }

    Found run() {
        found_.complete = objective_->is_exact;
        found_.lower_bound = branch(infinity);
        if (excess_ > 0) { // the limit decides
            if (!fits() && !found_.feasible)
                return std::move(found_);
            found_.lower_bound = std::max(found_.lower_bound, branch(byte_limit_));
            if (excess_ > 0)
                tighten();
        }
        if (!is_done())
            split();
        found_.memory_decided |= least_too_large_ < best();
        if (!found_.feasible && least_total_ > 0) {
            found_.least_bytes = least_total_;
            found_.least_was_seen = true;
        }
        if (found_.feasible) {
            close_gap();
            found_.layers = chosen(space_, found_.values);
        }
        found_.work = memo_.work;
        return std::move(found_);
    }

  private:
    /// A node of the branch and bound: some sets of bucket axes are paid for, some are forbidden, the rest is open.
    struct Node {
        std::uint32_t paid = 0;
        std::uint32_t forbidden = 0;
        std::vector<int> values;
        double bound = 0;
    };

    /// Looks for the smallest plan: what lives through the step is a sum; of what does not, that at the operation where
    /// the plan so far has most of it. Returns false if there is a proof that none fits the limit; a plan that does is
    /// offered.
    bool fits() {
        for (int i = 0; i < most_tightenings; ++i) {
            const Solution least = plan::smallest(problems_.without(0, byte_limit_, counted_), memo_);
            // Counted at several operations, the bytes are an average, which proves less.
            if (least.lower_bound > byte_limit_ * (1 + rounding)) {
                found_.least_bytes = std::max(found_.least_bytes, least.lower_bound);
                found_.memory_decided = true;
                found_.lower_bound = infinity;
                return false;
            }
            excess_ = 0;
            if (!least.feasible || (offer(least.values), excess_ == 0) || is_done() || !count_at_peak())
                break;
        }
        return true;
    }

    /// Whether no further problem is solved: what was found stands.
    [[nodiscard]] bool is_done() const { return memo_.work >= most_work_; }

    /// The fastest plans exceed the memory limit by what does not live through the step. Counts what passes at the
    /// operation where these plans have most of it; then lowers the limit until a plan fits, and raises it again as far
    /// as that helps.
    void tighten() {
        found_.memory_decided = true;
        double limit = byte_limit_;
        double too_high = limit;
        for (int i = 0; i < most_tightenings && excess_ > 0 && !is_done(); ++i) {
            if (!count_at_peak()) {
                too_high = limit;
                limit -= excess_;
            }
            const double bound = branch(limit);
            if (limit == byte_limit_)
                found_.lower_bound = std::max(found_.lower_bound, bound);
        }
        for (int i = 0; i < most_halvings && limit < too_high && !is_done(); ++i) {
            const double middle = (too_high + limit) / 2;
            branch(middle);
            (excess_ > 0 ? too_high : limit) = middle;
        }
    }

    /// Counts memory at the peak too, and at all operations like it: otherwise the next plan would have its peak in the
    /// next block. Returns false if it was counted there already.
    bool count_at_peak() {
        if (!peak_ ||
            std::any_of(counted_.begin(), counted_.end(), [this](const auto &alike) { return alike.contains(peak_); }))
            return false;
        std::set<OperationId> &alike = counted_.emplace_back();
        for (const OperationId o : step_.operations.ids())
            if (step_.operations[o].kind == step_.operations[peak_].kind)
                alike.insert(o);
        return true;
    }

    /// Searches plan by plan where a gap is left, because the sum of the terms is not exact, and there are few plans.
    void split() {
        const auto interesting = [this] { return std::min(give_up_at_, best()); };
        if (!is_tiny(space_) || found_.lower_bound >= interesting() * (1 - rounding))
            return;
        const double most_work = std::min(most_work_, memo_.work + least_share * allowed_work(request_));
        const double bound = split_search(
            problems_.without(0, byte_limit_ > 0 ? byte_limit_ : infinity, counted_),
            [this](const std::vector<int> &values) { offer(values); }, interesting,
            [&] { return memo_.work >= most_work; });
        found_.lower_bound = std::max(found_.lower_bound, bound);
    }

    /// Offers the best plans under a limit on the memory at counted_; returns a lower bound of all of them.
    double branch(double limit) {
        excess_ = 0;
        lost_ = infinity;
        memo_.sums.clear(); // of former tables
        memo_.messages.clear();
        offered_.clear();
        std::vector<Node> open;
        add(open, 0, 0, limit);
        for (int i = 0; i < request_.effort * most_branches && !open.empty(); ++i) {
            const auto least = std::min_element(open.begin(), open.end(),
                                                [](const Node &a, const Node &b) { return a.bound < b.bound; });
            Node node = std::move(*least);
            open.erase(least);
            const std::uint32_t undecided = problems_.used(node.values) & ~node.paid;
            if (undecided == 0 || node.bound >= best() * (1 - rounding) || is_not_worth(node, undecided) || is_done())
                return std::min({node.bound, best(), lost_});
            const std::uint32_t set = std::bit_floor(undecided);
            add(open, node.paid, node.forbidden | set, limit);
            node.paid |= set;
            node.bound += objective_->bucket_latency[std::bit_width(set) - 1];
            open.push_back(std::move(node));
        }
        double bound = std::min(best(), lost_);
        for (const Node &node : open)
            bound = std::min(bound, node.bound);
        return bound;
    }

    /// Where memory decides, a gap remains anyway. The bound can rise by the latency of what is undecided at most.
    [[nodiscard]] bool is_not_worth(const Node &node, std::uint32_t undecided) const {
        if (!found_.memory_decided || is_tiny(space_))
            return false;
        double latency = 0;
        for (std::size_t set = 0; set < objective_->bucket_latency.size(); ++set)
            latency += undecided >> set & 1 ? objective_->bucket_latency[set] : 0;
        return std::min(latency, best() - node.bound) < worth_branching * node.bound;
    }

    void add(std::vector<Node> &open, std::uint32_t paid, std::uint32_t forbidden, double limit) {
        Problem &problem = problems_.without(forbidden, limit, counted_);
        problem.give_up_at = std::min(give_up_at_, best());
        const Solution solution = minimise(problem, memo_);
        found_.memory_decided |= solution.limit_decided;
        if (!solution.feasible) {
            if (forbidden == 0)
                found_.least_bytes = solution.least_bytes;
            lost_ = std::min(lost_, solution.lower_bound);
            return;
        }
        if (seconds_of(solution) < std::min(give_up_at_, best()) && // else the whole plan is no better
            offered_.insert(solution.values).second)
            offer(solution.values);
        double bound = solution.lower_bound;
        for (std::size_t set = 0; set < objective_->bucket_latency.size(); ++set)
            bound += paid >> set & 1 ? objective_->bucket_latency[set] : 0;
        open.push_back({paid, forbidden, solution.values, bound});
    }

    /// The sum of all terms, with each set of buckets counted once: a lower bound of the price of the whole plan, but
    /// for rounding.
    [[nodiscard]] double seconds_of(const Solution &solution) const {
        const std::uint32_t used = problems_.used(solution.values);
        double seconds = solution.seconds;
        for (std::size_t set = 0; set < objective_->bucket_latency.size(); ++set)
            seconds += used >> set & 1 ? objective_->bucket_latency[set] : 0;
        return seconds * (1 + rounding);
    }

    [[nodiscard]] double best() const { return found_.feasible ? found_.cost->seconds().value : infinity; }

    /// Prices a whole plan and keeps it if it fits and is the best so far. Returns true if it is now the best.
    bool offer(const std::vector<int> &values) {
        SharedCost cost = priced(values);
        const double total = cost->memory.total().value;
        if (byte_limit_ > 0 && total > byte_limit_) {
            if (total - byte_limit_ > excess_) {
                excess_ = total - byte_limit_;
                peak_ = cost->memory.peak;
            }
            least_total_ = least_total_ > 0 ? std::min(least_total_, total) : total;
            least_too_large_ = std::min(least_too_large_, cost->seconds().value);
            return false;
        }
        if (found_.feasible && cost->seconds().value >= best())
            return false;
        found_.feasible = true;
        found_.values = values;
        found_.cost = std::move(cost);
        return true;
    }

    [[nodiscard]] SharedCost priced(const std::vector<int> &values) {
        memo_.work += work_of_price(request_);
        return std::make_shared<const CostTable>(evaluate(request_, index_, *step_.facts, shape_.mesh, shape_.axes,
                                                          chosen(space_, values), storage_, known_));
    }

    void close_gap() {
        if (found_.lower_bound > best() * (1 - rounding))
            found_.lower_bound = best();
    }

    const Request &request_;
    const StepStructure &step_;
    const sharding::GraphIndex &index_;
    const MeshShape &shape_;
    const Space &space_;
    const Storage &storage_;
    std::shared_ptr<Objective> objective_;
    KnownPrices &known_;
    Problems problems_;
    Memo memo_; ///< of problems_
    double byte_limit_;
    double give_up_at_;
    double most_work_;
    std::set<std::vector<int>> offered_;         ///< solutions that have been priced under the same limit
    std::vector<std::set<OperationId>> counted_; ///< operations at which memory is counted, by kind
    double lost_ = infinity;                     ///< a bound of those of the last branch for which nothing was found
    double excess_ = 0;                          ///< the most that a plan of the last branch exceeded the limit by
    OperationId peak_;                           ///< where that plan has most passing memory
    double least_total_ = 0;                     ///< of them: the smallest
    double least_too_large_ = infinity;          ///< of all that did not fit: the fastest
    Found found_;
};

} // namespace

Found search(const Request &request, const StepStructure &step, const MeshShape &shape, const Space &space,
             const Storage &storage, TermCache &cache, const SearchLimits &limits) {
    return MeshSearch(request, step, shape, space, storage, cache, limits).run();
}

double least_memory(const Request &request, const StepStructure &step, const MeshShape &shape, const Space &space,
                    const Storage &storage, TermCache &cache, double byte_limit) {
    return MeshSearch(request, step, shape, space, storage, cache, {byte_limit}).least_memory();
}

Found smallest(const Request &request, const StepStructure &step, const MeshShape &shape, const Space &space,
               const Storage &storage, TermCache &cache) {
    return MeshSearch(request, step, shape, space, storage, cache, {infinity}).smallest();
}

LayerStrategies chosen(const Space &space, const std::vector<int> &values) {
    LayerStrategies layers;
    for (const LayerId l : space.options.ids())
        layers.push_back((*space.options[l])[values[l.index()]]);
    return layers;
}

} // namespace planc::plan
