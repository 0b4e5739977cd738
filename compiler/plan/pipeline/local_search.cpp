#include "plan/pipeline/local_search.h"

#include "plan/space/space.h"
#include "plan/space/storage.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace planc::plan {

namespace {

class LocalSearch {
  public:
    LocalSearch(const Request &inner, const Cuts &cuts, Plan start, const PipelineRules &rules)
        : cuts_(cuts), rules_(rules), best_(std::move(start)), left_(most_priced(inner)) {
        const MeshShape shape{best_.axes, best_.mesh};
        add_strategies(make_space(inner, shape));
        for (const StorageChoice &choice : storage_choices(inner, shape))
            changes_.push_back(
                [storage = choice.storage](Plan &plan) { return std::exchange(plan.storage, storage) != storage; });
        if (inner.pipeline->cuts.empty())
            add_cuts(cuts.begins(best_.pipeline->stages).size());
    }

    /// From the plan, and from one that splits nothing but what rules split, which may lead elsewhere.
    Plan run() {
        if (static_cast<double>(changes_.size()) - cuts_with_splits_ > left_)
            return std::move(best_);
        Plan whole = best_;
        whole.layers = firsts_;
        const double left = left_;
        go_on();
        const Plan from_start = std::exchange(best_, rules_.priced(std::move(whole)));
        left_ = left;
        go_on();
        return rules_.is_better(best_, from_start) ? best_ : from_start;
    }

  private:
    /// As long as a single change helps.
    void go_on() {
        while (any_of_all()) {
        }
    }

    /// Returns whether there is anything to change.
    using Change = std::function<bool(Plan &)>;

    void add_strategies(const Space &space) {
        for (const auto &options : space.options)
            firsts_.push_back(options->front());
        for (const LayerId layer : space.options.ids())
            for (const LayerStrategy &strategy : *space.options[layer])
                changes_.push_back(
                    [layer, strategy](Plan &plan) { return std::exchange(plan.layers[layer], strategy) != strategy; });
    }

    /// A stage begins at another place, between those before and behind it.
    void add_cuts(std::size_t stages) {
        const std::vector<bool> &may_begin = cuts_.may_begin();
        for (std::size_t stage = 1; stage < stages; ++stage)
            for (std::size_t place = 1; place < may_begin.size(); ++place)
                if (may_begin[place])
                    for (const bool splits_anew : {false, true}) {
                        changes_.push_back([=, this](Plan &plan) { return move_cut(plan, stage, place, splits_anew); });
                        cuts_with_splits_ += splits_anew ? 1 : 0;
                    }
    }

    /// `splits_anew`: splits that are good for several layers together are no single change.
    bool move_cut(Plan &plan, std::size_t stage, std::size_t place, bool splits_anew) {
        Begins begins = cuts_.begins(plan.pipeline->stages);
        const std::size_t end = stage + 1 < begins.size() ? begins[stage + 1] : cuts_.may_begin().size();
        if (place <= begins[stage - 1] || place >= end || place == begins[stage])
            return false;
        begins[stage] = place;
        plan.pipeline->stages = cuts_.stages(begins);
        if (!splits_anew)
            return true;
        const LayerStrategies before = plan.layers;
        plan = rules_.split_anew(std::move(plan));
        left_ -= plan.pipeline->stages.count; // as many searches
        return plan.layers != before;
    }

    /// Tries all changes, each on the best plan so far. Whether one was better.
    bool any_of_all() {
        bool better = false;
        for (std::size_t i = 0; i < changes_.size() && left_ > 0; ++i) {
            Plan other = best_;
            if (!changes_[i](other))
                continue;
            --left_;
            other = rules_.priced(std::move(other));
            if (!rules_.is_better(other, best_))
                continue;
            best_ = std::move(other);
            better = true;
        }
        return better;
    }

    const Cuts &cuts_;
    const PipelineRules &rules_;
    Plan best_;
    std::vector<Change> changes_;
    double cuts_with_splits_ = 0; ///< of the changes
    LayerStrategies firsts_;      ///< of each layer
    double left_;                 ///< plans that may still be priced
};

} // namespace

double most_priced(const Request &request) {
    constexpr double operations = 100'000; // of all ranks, in all plans together
    return request.effort * operations / (request.ranks * static_cast<double>(request.graph.operations.size()));
}

Plan bettered(const Request &inner, const Cuts &cuts, Plan plan, const PipelineRules &rules) {
    return LocalSearch(inner, cuts, std::move(plan), rules).run();
}

} // namespace planc::plan
