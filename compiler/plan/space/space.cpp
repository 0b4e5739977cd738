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
        assign(0);
        return std::move(found_);
    }

  private:
    void assign(std::size_t axis) {
        if (axis == shape_.axes.size()) {
            found_.push_back(strategy_);
            return;
        }
        const auto pin = std::find_if(pins_.begin(), pins_.end(), [&](const Pin &candidate) {
            return std::find(candidate.axes.begin(), candidate.axes.end(), shape_.axes[axis]) != candidate.axes.end();
        });
        if (pin != pins_.end()) {
            go(axis, pin->loop);
            return;
        }
        if (request_.search && shape_.mesh.sizes[axis] > 1 && !has_stages(request_, shape_.axes[axis]))
            for (const LayerLoop &loop : loops_)
                if (open(loop, axis))
                    go(axis, loop.name);
        go(axis, "");
    }

    void go(std::size_t axis, const std::string &loop) {
        strategy_.loop_of_axis[axis] = loop;
        assign(axis + 1);
        strategy_.loop_of_axis[axis].clear();
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
    constexpr std::size_t most_strategies = 60; // of all layers
    std::size_t strategies = 0;
    for (const auto &options : space.options)
        strategies += options->size();
    return strategies <= most_strategies;
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
