#include "certificate/space.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::certificate {

namespace {

/// All tuples of `count` numbers that multiply to `product`.
std::vector<std::vector<int>> factorisations(int product, std::size_t count) {
    if (count == 0)
        return product == 1 ? std::vector<std::vector<int>>{{}} : std::vector<std::vector<int>>{};
    std::vector<std::vector<int>> all;
    for (int first = 1; first <= product; ++first)
        if (product % first == 0)
            for (std::vector<int> &rest : factorisations(product / first, count - 1)) {
                rest.insert(rest.begin(), first);
                all.push_back(std::move(rest));
            }
    return all;
}

std::set<std::string> axes_of_rules(const plan::Request &request) {
    std::set<std::string> axes;
    for (const std::vector<plan::Pin> &pins : request.pins)
        for (const plan::Pin &pin : pins)
            axes.insert(pin.axes.begin(), pin.axes.end());
    return axes;
}

std::vector<int> numbers(const plan::StoragePin &pin, const std::vector<std::string> &axes) {
    std::vector<int> result;
    if (pin)
        for (const std::string &name : *pin)
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                if (axes[axis] == name)
                    result.push_back(static_cast<int>(axis));
    return result;
}

/// The loops of each layer that can be split, with their shortest extents.
PerLayer<std::map<std::string, std::int64_t>> loops_of_layers(const sharding::Graph &graph) {
    PerLayer<std::map<std::string, std::int64_t>> loops(graph.layers.size());
    for (const sharding::Operation &operation : graph.operations)
        for (const sharding::Loop &loop : operation.nest.loops)
            if (!operation.parameter && loop.kind != sharding::LoopKind::whole) {
                auto &extent = loops[operation.layer].try_emplace(loop.name, loop.extent).first->second;
                extent = std::min(extent, loop.extent);
            }
    return loops;
}

/// Of one layer, on meshes where they can be told by groups of axes (plan/space/space.h).
constexpr std::size_t most_strategies = 1300;

/// One layer under the rules that speak of its loops.
class Layer {
  public:
    Layer(const Shape &shape, const plan::Request &request, const std::map<std::string, std::int64_t> &loops,
          const std::vector<plan::Pin> &pins)
        : shape_(shape), loops_(loops) {
        for (const plan::Pin &pin : pins)
            if (loops.contains(pin.loop)) {
                pins_.push_back(&pin);
                ruled_.insert(pin.loop);
            }
        for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
            choices_.push_back(choices(axis, request));
    }

    /// Those with the fewest groups where there are too many; `most_groups` is then how many these have at most.
    Strategies all(int &most_groups) const {
        most_groups = 0;
        Strategies result;
        for (int most = 0; most <= static_cast<int>(choices_.size()); ++most) {
            Strategies more = of_groups(most);
            if (more.size() > most_strategies && !result.empty()) {
                most_groups = most - 1;
                return result;
            }
            result = std::move(more);
        }
        return result;
    }

  private:
    [[nodiscard]] Strategies of_groups(int most) const {
        Strategies result{{{}, order()}};
        for (const std::vector<std::string> &of_axis : choices_) {
            Strategies longer;
            for (const LayerStrategy &shorter : result)
                for (const std::string &loop : of_axis) {
                    longer.push_back(shorter);
                    longer.back().loop_of_axis.push_back(loop);
                    if (cut_too_finely(longer.back()) || groups(longer.back()) > most)
                        longer.pop_back();
                }
            result = std::move(longer);
        }
        return result;
    }

    /// Of adjacent axes that split one loop. Axes with one rank split nothing.
    [[nodiscard]] int groups(const LayerStrategy &strategy) const {
        int count = 0;
        std::string last;
        for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis) {
            if (shape_.mesh.sizes[axis] == 1)
                continue;
            const std::string &loop = strategy.loop_of_axis[axis];
            count += loop.empty() || loop == last ? 0 : 1;
            last = loop;
        }
        return count;
    }

    [[nodiscard]] std::vector<std::string> choices(std::size_t axis, const plan::Request &request) const {
        for (const plan::Pin *pin : pins_)
            if (std::count(pin->axes.begin(), pin->axes.end(), shape_.axes[axis]) > 0)
                return {pin->loop};
        std::vector<std::string> result;
        if (request.search && shape_.mesh.sizes[axis] > 1 && !has_stages(request, shape_.axes[axis]))
            for (const auto &[loop, extent] : loops_)
                if (!ruled_.contains(loop))
                    result.push_back(loop);
        result.emplace_back();
        return result;
    }

    [[nodiscard]] bool cut_too_finely(const LayerStrategy &strategy) const {
        return std::any_of(loops_.begin(), loops_.end(), [&](const auto &loop) {
            std::int64_t parts = 1;
            for (std::size_t axis = 0; axis < strategy.loop_of_axis.size(); ++axis)
                parts *= strategy.loop_of_axis[axis] == loop.first ? shape_.mesh.sizes[axis] : 1;
            return parts > loop.second && !ruled_.contains(loop.first);
        });
    }

    /// Axes of one loop, major first as the rule lists them; empty where all rules list them as the mesh does.
    [[nodiscard]] std::vector<int> order() const {
        std::vector<int> result;
        const auto add = [&](const std::string &name) {
            const auto axis =
                static_cast<int>(std::find(shape_.axes.begin(), shape_.axes.end(), name) - shape_.axes.begin());
            if (axis < static_cast<int>(shape_.axes.size()) && std::count(result.begin(), result.end(), axis) == 0)
                result.push_back(axis);
        };
        const auto place = [this](const std::string &name) {
            return std::find(shape_.axes.begin(), shape_.axes.end(), name);
        };
        for (const plan::Pin *pin : pins_)
            if (!std::is_sorted(pin->axes.begin(), pin->axes.end(),
                                [&](const std::string &a, const std::string &b) { return place(a) < place(b); }))
                std::for_each(pin->axes.begin(), pin->axes.end(), add);
        if (!result.empty())
            std::for_each(shape_.axes.begin(), shape_.axes.end(), add);
        return result;
    }

    const Shape &shape_;
    const std::map<std::string, std::int64_t> &loops_;
    std::vector<const plan::Pin *> pins_;
    std::set<std::string> ruled_;                   ///< loops
    std::vector<std::vector<std::string>> choices_; ///< per axis
};

/// At most three open axes have more than one rank, or as many as are named. Of adjacent open axes that are not named,
/// those with one rank come last.
bool is_searched(const plan::Request &request, const Shape &shape) {
    std::set<std::string> named = axes_of_rules(request);
    for (const plan::StoragePin &pin :
         {request.storage.parameters, request.storage.gradients, request.storage.optimizer})
        for (const std::string &axis : pin.value_or(std::vector<std::string>()))
            named.insert(axis);
    if (request.pipeline)
        named.insert(request.pipeline->axis);
    int split = 0;
    int of_rules = 0;
    for (std::size_t axis = 0; axis < shape.axes.size(); ++axis) {
        const auto is_free = [&](std::size_t which) {
            return request.mesh.axes[which].size == 0 && !named.contains(shape.axes[which]);
        };
        if (request.mesh.axes[axis].size > 0)
            continue;
        split += shape.mesh.sizes[axis] > 1 ? 1 : 0;
        of_rules += is_free(axis) ? 0 : 1;
        if (axis > 0 && is_free(axis - 1) && is_free(axis) && shape.mesh.sizes[axis - 1] == 1 &&
            shape.mesh.sizes[axis] > 1)
            return false;
    }
    return split <= std::max(3, of_rules);
}

} // namespace

std::vector<Shape> shapes(const plan::Request &request) {
    const std::set<std::string> named = axes_of_rules(request);
    const bool alike = named.empty() && !cost::placement_matters(request.machine, request.ranks);
    std::vector<Shape> result;
    const auto add = [&](const std::vector<plan::MeshAxis> &axes) {
        const bool open = std::all_of(axes.begin(), axes.end(), [](const auto &axis) { return axis.size == 0; });
        for (std::vector<int> &sizes : factorisations(request.ranks, axes.size())) {
            bool allowed = !(alike && open) || std::is_sorted(sizes.rbegin(), sizes.rend());
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                allowed &= axes[axis].size == 0 || axes[axis].size == sizes[axis];
                allowed &= !request.mesh.automatic || axes.size() == 1 || sizes[axis] > 1;
            }
            if (!allowed)
                continue;
            Shape &shape = result.emplace_back();
            for (const plan::MeshAxis &axis : axes)
                shape.axes.push_back(axis.name);
            shape.mesh.sizes = std::move(sizes);
        }
    };
    if (request.mesh.automatic) {
        for (const std::vector<plan::MeshAxis> &axes : {std::vector<plan::MeshAxis>{{"rows", 0}},
                                                        {{"rows", 0}, {"cols", 0}},
                                                        {{"rows", 0}, {"cols", 0}, {"planes", 0}}})
            add(axes);
        return result;
    }
    add(request.mesh.axes);
    const auto idle = [&](const Shape &shape) {
        int count = 0;
        for (std::size_t axis = 0; axis < shape.axes.size(); ++axis)
            count += shape.mesh.sizes[axis] == 1 && named.contains(shape.axes[axis]) ? 1 : 0;
        return count;
    };
    int least = static_cast<int>(request.mesh.axes.size());
    for (const Shape &shape : result)
        least = std::min(least, idle(shape));
    std::erase_if(result, [&](const Shape &shape) { return idle(shape) > least || !is_searched(request, shape); });
    return result;
}

std::vector<Storage> storages(const plan::Request &request, const Mesh &mesh, const std::vector<std::string> &axes) {
    const plan::StorageRules &rules = request.storage;
    const plan::StoragePin &gradients = rules.gradients ? rules.gradients : rules.parameters;
    const plan::StoragePin &optimizer = rules.optimizer ? rules.optimizer : gradients;
    if (optimizer || !request.search)
        return {{numbers(rules.parameters, axes), numbers(gradients, axes), numbers(optimizer, axes)}};
    std::vector<int> all;
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        if (mesh.sizes[axis] > 1 && !has_stages(request, axes[axis]))
            all.push_back(static_cast<int>(axis));
    std::vector<Storage> result{{}};
    if (all.empty())
        return result;
    result.push_back({{}, {}, all});
    if (request.graph.microbatches > 1)
        result.push_back({{}, all, all});
    result.push_back({all, all, all});
    return result;
}

PerLayer<Strategies> strategies(const plan::Request &request, const Shape &shape) {
    const auto loops = loops_of_layers(request.graph);
    PerLayer<Strategies> result;
    int most_groups = 0;
    for (const LayerId l : loops.ids())
        result.push_back(
            Layer(shape, request, loops[l], request.pins.contains(l) ? request.pins[l] : std::vector<plan::Pin>{})
                .all(most_groups));
    return result;
}

int most_groups(const plan::Request &request) {
    const auto loops = loops_of_layers(request.graph);
    int least = 0;
    for (const Shape &shape : shapes(request))
        for (const LayerId l : loops.ids()) {
            int of_layer = 0;
            Layer(shape, request, loops[l], request.pins.contains(l) ? request.pins[l] : std::vector<plan::Pin>{})
                .all(of_layer);
            if (of_layer > 0)
                least = least == 0 ? of_layer : std::min(least, of_layer);
        }
    return least;
}

} // namespace planc::certificate
