#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "plan/explanations/explain.h"
#include "plan/numbers.h"
#include "plan/pipeline/positions.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/search/search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

namespace planc::plan {

namespace {

std::string trimmed(const std::string &text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

struct Question {
    std::string layer;
    std::string loop;
    std::string axes;               ///< as it was asked: "cols", "[rows, cols]", "none"
    std::vector<std::string> names; ///< empty: not split
};

std::vector<std::string> axis_names(std::string axes) {
    if (axes.size() >= 2 && axes.front() == '[' && axes.back() == ']')
        axes = axes.substr(1, axes.size() - 2);
    std::vector<std::string> names;
    for (std::size_t begin = 0; axes != "none" && begin <= axes.size();) {
        const std::size_t end = std::min(axes.find(',', begin), axes.size());
        names.push_back(trimmed(axes.substr(begin, end - begin)));
        begin = end + 1;
    }
    return names;
}

/// "layer: loop -> axes"; all empty if it is not of this form.
Question parse(const std::string &text) {
    const std::size_t arrow = text.find("->");
    const std::size_t colon = text.rfind(':', arrow);
    if (arrow == std::string::npos || colon == std::string::npos)
        return {};
    const std::string axes = trimmed(text.substr(arrow + 2));
    return {trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1, arrow - colon - 1)), axes, axis_names(axes)};
}

std::string list(const std::vector<std::string> &names) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (text.empty() ? "'" : ", '") + names[i] + "'";
    return names.size() > most ? text + ", …" : text;
}

class WhyNot {
  public:
    WhyNot(const Request &request, const Plan &plan, Question question)
        : request_(request), plan_(plan), question_(std::move(question)), loops_(layer_loops(request.graph)) {}

    WhyNotAnswer answer() {
        if (const std::string unknown = find_names(); !unknown.empty())
            return {false, unknown + "\n"};
        if (asked(plan_.layers[layer_]))
            return {true, "the plan does that: " + statement() + "\n"};
        if (const std::string reason = forbidden(); !reason.empty())
            return {true, "'" + statement() + "' is not possible: " + reason + "\n"};
        return {true, price()};
    }

  private:
    [[nodiscard]] std::string statement() const {
        return question_.layer + ": " + question_.loop + " -> " + question_.axes;
    }

    std::string find_names() {
        std::vector<std::string> layers;
        for (const sharding::Layer &layer : request_.graph.layers)
            layers.push_back(layer.name);
        const auto at = std::find(layers.begin(), layers.end(), question_.layer);
        if (at == layers.end())
            return "there is no layer '" + question_.layer + "'; there are " + list(layers);
        layer_ = LayerId(at - layers.begin());
        std::vector<std::string> loops;
        for (const LayerLoop &loop : loops_[layer_]) {
            loops.push_back(loop.name);
            if (loop.name == question_.loop)
                loop_ = &loop;
        }
        if (loop_ == nullptr)
            return "layer '" + question_.layer + "' has no dimension '" + question_.loop + "'; it has " + list(loops);
        for (const std::string &name : question_.names) {
            const auto axis = std::find(plan_.axes.begin(), plan_.axes.end(), name);
            if (axis == plan_.axes.end())
                return "the mesh has no axis '" + name + "'; it has " + list(plan_.axes);
            axes_.push_back(static_cast<int>(axis - plan_.axes.begin()));
        }
        return {};
    }

    /// Whether a strategy does what the question asks for.
    [[nodiscard]] bool asked(const LayerStrategy &strategy) const {
        const std::vector<std::string> &loops = strategy.loop_of_axis;
        if (axes_.empty())
            return std::find(loops.begin(), loops.end(), question_.loop) == loops.end();
        return std::all_of(axes_.begin(), axes_.end(), [&](int axis) { return loops[axis] == question_.loop; });
    }

    [[nodiscard]] std::string forbidden() const {
        if (const std::string pin = forbidding(); !pin.empty())
            return "the rule '" + pin + "' forbids it";
        if (!request_.search)
            return "the layout is not 'auto' and has no such rule";
        const Mesh mesh = mesh_of_layer(plan_, layer_);
        std::int64_t parts = 1;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (mesh.sizes[axes_[i]] == 1)
                return "axis '" + question_.names[i] + "' has one rank";
            parts *= mesh.sizes[axes_[i]];
        }
        if (parts > loop_->extent)
            return "'" + question_.loop + "' has " + std::to_string(loop_->extent) + " elements, fewer than the " +
                   std::to_string(parts) + " ranks of " + list(question_.names);
        return {};
    }

    [[nodiscard]] std::string forbidding() const {
        for (const std::string &axis : question_.names)
            if (std::string pin = forbidding_pin(request_, loops_[layer_], layer_, question_.loop, axis); !pin.empty())
                return pin;
        if (axes_.empty() && request_.pins.contains(layer_))
            for (const Pin &pin : request_.pins[layer_])
                if (pin.loop == question_.loop && !pin.axes.empty())
                    return pin.text;
        return {};
    }

    /// The best plan on the same mesh that does it; with a pipeline, the best strategy of the layer.
    [[nodiscard]] std::string price() const {
        const MeshShape shape{plan_.axes, mesh_of_layer(plan_, layer_)};
        Space space = make_space(request_, shape);
        Strategies wanted;
        for (const LayerStrategy &option : *space.options[layer_])
            if (asked(option))
                wanted.push_back(option);
        if (wanted.empty())
            return "'" + statement() + "' is not possible: it leaves ranks without work\n";
        if (plan_.pipeline)
            return price_in_stage(wanted);
        space.options[layer_] = std::make_shared<const Strategies>(std::move(wanted));
        const sharding::GraphIndex index(request_.graph);
        const StepStructure step(index, request_.machine);
        TermCache cache(shape.mesh, request_.machine);
        const Found found = search(request_, step, shape, space, plan_.storage, cache, {plan_.memory_limit_bytes});
        if (!found.feasible)
            return "'" + statement() + "' is not possible: no plan with it was found that fits the memory, " +
                   cost::human_bytes(Bytes(plan_.memory_limit_bytes)) + " a rank\n";
        return comparison(*found.cost, chosen(space, found.values));
    }

    [[nodiscard]] std::string price_in_stage(const Strategies &wanted) const {
        std::optional<Plan> best;
        for (const LayerStrategy &strategy : wanted) {
            Plan plan = plan_;
            plan.layers[layer_] = strategy;
            plan.cost = std::make_shared<const CostTable>(price_pipeline(request_, plan));
            if (!best || plan.cost->seconds() < best->cost->seconds())
                best = std::move(plan);
        }
        return comparison(*best->cost, best->layers);
    }

    [[nodiscard]] std::string comparison(const CostTable &other, const LayerStrategies &strategies) const {
        const Seconds before = plan_.cost->seconds();
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%.2g %%", 100 * ((other.seconds() - before) / before));
        std::string text = "'" + statement() + "' would add " + signed_seconds(other.seconds() - before).substr(1) +
                           " (" + buffer + "): " + cost::human_seconds(before) + " becomes " +
                           cost::human_seconds(other.seconds()) +
                           (plan_.pipeline ? ", everything else as planned\n" : ", everything else planned anew\n");
        cost::Lines lines;
        lines.row({"  where", "planned", "with it", "added"});
        for (const LayerId l : strategies.ids())
            row(lines, other.layers[l].name, plan_.cost->layers[l].seconds(), other.layers[l].seconds());
        row(lines, "reshards", reshards(*plan_.cost), reshards(other));
        row(lines, "buckets", buckets(*plan_.cost), buckets(other));
        return text + lines.text(1) + changes(other, strategies);
    }

    static void row(cost::Lines &lines, const std::string &where, Seconds planned, Seconds with_it) {
        if (std::abs((with_it - planned).value) > rounding * planned.value)
            lines.row({"  " + where, cost::human_seconds(planned), cost::human_seconds(with_it),
                       signed_seconds(with_it - planned)});
    }

    static std::string signed_seconds(Seconds seconds) {
        const std::string sign = seconds.value < 0 ? "-" : "+";
        return sign + cost::human_seconds(Seconds(std::abs(seconds.value)));
    }

    static Seconds reshards(const CostTable &table) {
        Seconds sum{};
        for (const cost::CollectiveRow &row : table.reshards)
            sum += row.price.seconds();
        return sum;
    }

    static Seconds buckets(const CostTable &table) {
        Seconds sum{};
        for (const cost::BucketRow &row : table.buckets)
            sum += row.price.seconds();
        return sum;
    }

    /// The layers that would be split differently.
    [[nodiscard]] std::string changes(const CostTable &other, const LayerStrategies &strategies) const {
        std::string text;
        for (const LayerId l : strategies.ids())
            if (strategies[l].loop_of_axis != plan_.layers[l].loop_of_axis)
                text += "  " + other.layers[l].name + ": " + cost::split_words(other.layers[l], plan_.axes) +
                        " instead of " + cost::split_words(plan_.cost->layers[l], plan_.axes) + "\n";
        return text;
    }

    const Request &request_;
    const Plan &plan_;
    Question question_;
    PerLayer<std::vector<LayerLoop>> loops_;
    LayerId layer_;
    const LayerLoop *loop_ = nullptr;
    std::vector<int> axes_;
};

} // namespace

WhyNotAnswer why_not(const Request &request, const Plan &plan, const std::string &question) {
    Question parsed = parse(question);
    if (parsed.layer.empty() || parsed.loop.empty() || parsed.axes.empty())
        return {false, "ask as in \"fc1: hidden -> cols\" or \"fc1: hidden -> none\"\n"};
    return WhyNot(request, plan, std::move(parsed)).answer();
}

} // namespace planc::plan
