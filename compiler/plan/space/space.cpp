#include "plan/space/space.h"

#include <algorithm>
#include <map>

namespace planc::plan {

namespace {

const LayerLoop *find(const std::vector<LayerLoop> &loops, const std::string &name) {
    const auto found =
        std::find_if(loops.begin(), loops.end(), [&name](const LayerLoop &loop) { return loop.name == name; });
    return found == loops.end() ? nullptr : &*found;
}

/// Of one layer: all those of four axes and five loops. Tables of two layers have as many entries as its square.
constexpr std::size_t most_of_layer = 1300;

/// The choice of one layer on one mesh.
class Choice {
  public:
    Choice(const Request &request, const MeshShape &shape, const std::vector<LayerLoop> &loops,
           const std::vector<Pin> &pins)
        : request_(request), shape_(shape), loops_(loops) {
        for (const Pin &pin : pins)
            if (find(loops, pin.loop))
                pins_.push_back(pin);
    }

    Strategies all() {
        strategy_.loop_of_axis.assign(shape_.axes.size(), "");
        strategy_.order = order();
        const auto axes = static_cast<int>(shape_.axes.size());
        Strategies all = of_groups(is_few() ? axes : 0);
        for (most_groups_ += 1; most_groups_ <= axes; ++most_groups_) {
            Strategies more = of_groups(most_groups_);
            if (more.size() > most_of_layer && !all.empty())
                break;
            all = std::move(more);
        }
        return all;
    }
    /// 0: all strategies are there.
    [[nodiscard]] int most_groups() const {
        return most_groups_ > static_cast<int>(shape_.axes.size()) ? 0 : most_groups_ - 1;
    }

  private:
    Strategies of_groups(int most) {
        most_groups_ = most;
        found_.clear();
        assign(0, 0, "");
        return std::move(found_);
    }

    /// Whether there are not too many strategies, however they group the axes.
    [[nodiscard]] bool is_few() const {
        double most = 1;
        for (const int size : shape_.mesh.sizes)
            most *= size > 1 ? static_cast<double>(loops_.size() + 1) : 1;
        return most <= most_of_layer;
    }

    /// `groups`: of the axes before; the last one splits the loop `last`.
    void assign(std::size_t axis, int groups, const std::string &last) {
        if (groups > most_groups_)
            return;
        if (axis == shape_.axes.size()) {
            found_.push_back(strategy_);
            return;
        }
        const auto go = [&](const std::string &next) {
            strategy_.loop_of_axis[axis] = next;
            if (shape_.mesh.sizes[axis] == 1)
                assign(axis + 1, groups, last);
            else
                assign(axis + 1, groups + (next.empty() || next == last ? 0 : 1), next);
            strategy_.loop_of_axis[axis].clear();
        };
        const auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const Pin &candidate) {
            return std::find(candidate.axes.begin(), candidate.axes.end(), shape_.axes[axis]) != candidate.axes.end();
        });
        if (pin != pins_.end()) {
            go(pin->loop);
            return;
        }
        if (request_.search && shape_.mesh.sizes[axis] > 1 && !has_stages(request_, shape_.axes[axis]))
            for (const LayerLoop &loop : loops_)
                if (open(loop, axis))
                    go(loop.name);
        go("");
    }

    /// Whether the loop is not pinned elsewhere and long enough for the axis in addition to those that split it
    /// already.
    [[nodiscard]] bool open(const LayerLoop &loop, std::size_t axis) const {
        if (std::any_of(pins_.begin(), pins_.end(), [&](const Pin &pin) { return pin.loop == loop.name; }))
            return false;
        std::int64_t parts = shape_.mesh.sizes[axis];
        for (std::size_t other = 0; other < axis; ++other)
            if (strategy_.loop_of_axis[other] == loop.name)
                parts *= shape_.mesh.sizes[other];
        return parts <= loop.extent;
    }

    /// Pinned axes in the order of their rules, then the rest; empty if that is ascending.
    [[nodiscard]] std::vector<int> order() const {
        std::vector<int> result;
        const auto add = [&](const std::string &name) {
            for (int axis = 0; axis < static_cast<int>(shape_.axes.size()); ++axis)
                if (shape_.axes[axis] == name && std::find(result.begin(), result.end(), axis) == result.end())
                    result.push_back(axis);
        };
        for (const Pin &pin : pins_)
            if (!std::is_sorted(pin.axes.begin(), pin.axes.end(),
                                [&](const std::string &a, const std::string &b) { return position(a) < position(b); }))
                for (const std::string &axis : pin.axes)
                    add(axis);
        if (result.empty())
            return result;
        for (const std::string &axis : shape_.axes)
            add(axis);
        return result;
    }
    [[nodiscard]] std::ptrdiff_t position(const std::string &axis) const {
        return std::find(shape_.axes.begin(), shape_.axes.end(), axis) - shape_.axes.begin();
    }

    const Request &request_;
    const MeshShape &shape_;
    const std::vector<LayerLoop> &loops_;
    std::vector<Pin> pins_;
    int most_groups_ = 0;
    LayerStrategy strategy_;
    Strategies found_;
};

std::string content(const Strategies &options) {
    std::string text;
    for (const LayerStrategy &strategy : options) {
        for (const std::string &loop : strategy.loop_of_axis)
            text += loop + ",";
        for (int axis : strategy.order)
            text += std::to_string(axis) + ";";
        text += "\n";
    }
    return text;
}

} // namespace

PerLayer<std::vector<LayerLoop>> layer_loops(const Graph &graph) {
    PerLayer<std::vector<LayerLoop>> result(graph.layers.size());
    for (const sharding::Operation &operation : graph.operations) {
        if (operation.parameter)
            continue;
        for (const sharding::Loop &loop : operation.nest.loops) {
            if (loop.kind == sharding::LoopKind::whole)
                continue;
            std::vector<LayerLoop> &loops = result[operation.layer];
            auto known = std::find_if(loops.begin(), loops.end(),
                                      [&loop](const LayerLoop &other) { return other.name == loop.name; });
            if (known == loops.end())
                known = loops.insert(loops.end(), {loop.name, loop.extent});
            known->extent = std::min(known->extent, loop.extent);
        }
    }
    return result;
}

Space make_space(const Request &request, const MeshShape &shape) {
    static const std::vector<Pin> no_pins;
    const PerLayer<std::vector<LayerLoop>> loops = layer_loops(request.graph);
    std::map<std::string, std::shared_ptr<const Strategies>> known; // by content
    Space space;
    for (const LayerId l : loops.ids()) {
        Choice choice(request, shape, loops[l], request.pins.contains(l) ? request.pins[l] : no_pins);
        Strategies options = choice.all();
        auto &shared = known[content(options)];
        if (!shared)
            shared = std::make_shared<const Strategies>(std::move(options));
        if (const int groups = choice.most_groups(); groups > 0)
            space.most_groups = space.most_groups == 0 ? groups : std::min(space.most_groups, groups);
        space.options.push_back(shared);
    }
    return space;
}

PerLayer<int> number_of_choices(const Space &space) {
    PerLayer<int> choices;
    for (const auto &options : space.options)
        choices.push_back(static_cast<int>(options->size()));
    return choices;
}

bool is_tiny(const Space &space) {
    constexpr std::size_t few = 60; // of all layers
    std::size_t strategies = 0;
    for (const auto &options : space.options)
        strategies += options->size();
    return strategies <= few;
}

std::string limited_to(int most_groups) {
    return most_groups == 0 ? ""
                            : " whose layers have at most " + std::to_string(most_groups) +
                                  (most_groups == 1 ? " group" : " groups") + " of axes";
}

std::string forbidding_pin(const Request &request, const std::vector<LayerLoop> &loops, LayerId layer,
                           const std::string &loop, const std::string &axis) {
    if (!request.pins.contains(layer))
        return {};
    for (const Pin &pin : request.pins[layer]) {
        const bool lies_here = std::find(pin.axes.begin(), pin.axes.end(), axis) != pin.axes.end();
        if (find(loops, pin.loop) && (pin.loop == loop) != lies_here)
            return pin.text;
    }
    return {};
}

} // namespace planc::plan
