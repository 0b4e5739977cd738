#include "plan/explanations/fewest_rules.h"

#include "plan/space/space.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>

namespace planc::plan {

namespace {

using Axes = std::vector<std::string>;

/// A component of the paths, with the layers below it.
struct Node {
    std::string name;
    std::vector<const LayerWish *> layers; ///< whose path ends here
    std::vector<std::unique_ptr<Node>> children;
    std::vector<std::pair<std::string, Axes>> rules;    ///< found
    std::unordered_map<std::string, Node *> named = {}; ///< the children

    Node &child(const std::string &wanted) {
        Node *&known = named[wanted];
        if (known == nullptr)
            known = children.emplace_back(std::make_unique<Node>(Node{wanted, {}, {}, {}})).get();
        return *known;
    }
};

bool disjoint(const Axes &axes, const LayerWish &layer) {
    return std::none_of(axes.begin(), axes.end(), [&](const std::string &axis) {
        return std::any_of(layer.axes.begin(), layer.axes.end(), [&](const auto &other) {
            return std::find(other.second.begin(), other.second.end(), axis) != other.second.end();
        });
    });
}

bool allows(const LayerWish &layer, const std::string &dimension, const Axes &axes) {
    if (const auto wanted = layer.axes.find(dimension); wanted != layer.axes.end())
        return wanted->second == axes;
    return !layer.idle.contains(dimension) || disjoint(axes, layer);
}

/// The rules on one dimension, from the root of the paths down. The value in force at a node is that of its own rule,
/// or else the one in force above it. This is a tree of choices, so the fewest rules are found exactly.
class OneDimension {
  public:
    OneDimension(std::string dimension, std::vector<Axes> values)
        : dimension_(std::move(dimension)), values_(std::move(values)) {}

    /// values_[0] is in force where there is no rule.
    void run(Node &root) {
        const Costs costs = tabulate(root);
        place(root, 0, best(costs, 0, general), costs);
    }

  private:
    static constexpr int general = 10; ///< cost of a rule outside selections: among equally many rules, more of these
                                       ///< are better
    static constexpr int exception = 11;
    static constexpr int never = std::numeric_limits<int>::max() / 4;

    /// Per value in force at a node, the least cost of the rules below it.
    struct Costs {
        std::vector<int> own;
        std::vector<Costs> children;
    };

    Costs tabulate(const Node &node) const {
        Costs costs;
        for (const auto &child : node.children)
            costs.children.push_back(tabulate(*child));
        for (std::size_t value = 0; value < values_.size(); ++value) {
            const bool allowed = std::all_of(node.layers.begin(), node.layers.end(), [&](const LayerWish *layer) {
                return allows(*layer, dimension_, values_[value]);
            });
            int sum = allowed ? 0 : never;
            for (const Costs &child : costs.children)
                sum = std::min(never, sum + with(child, value, best(child, value, exception), exception));
            costs.own.push_back(sum);
        }
        return costs;
    }

    static int with(const Costs &costs, std::size_t above, std::size_t value, int rule) {
        return std::min(never, costs.own[value] + (value == above ? 0 : rule));
    }

    /// The best value in force at a node if `above` is in force outside.
    [[nodiscard]] std::size_t best(const Costs &costs, std::size_t above, int rule) const {
        std::size_t found = above;
        for (std::size_t value = 0; value < values_.size(); ++value)
            if (with(costs, above, value, rule) < with(costs, above, found, rule))
                found = value;
        return found;
    }

    void place(Node &node, std::size_t above, std::size_t value, const Costs &costs) {
        if (value != above)
            node.rules.emplace_back(dimension_, values_[value]);
        for (std::size_t child = 0; child < node.children.size(); ++child)
            place(*node.children[child], value, best(costs.children[child], value, exception), costs.children[child]);
    }

    std::string dimension_;
    std::vector<Axes> values_;
};

/// A layer's name without its number: "conv12" gives "conv", "block[3]" gives "block[".
std::string stem(const std::string &name) {
    if (const std::size_t bracket = name.find('['); bracket != std::string::npos)
        return name.substr(0, bracket + 1);
    const std::size_t last = name.find_last_not_of("0123456789");
    return name.substr(0, last + 1);
}

class Writer {
  public:
    using Rules = std::vector<std::pair<std::string, Axes>>;

    /// The rules of the node and of those below it, except what is already `said` of the node.
    [[nodiscard]] std::string text(const Node &node, int depth, const Rules &said = {}) const {
        std::string body;
        for (const auto &rule : node.rules)
            if (!says(said, rule))
                body += indent(depth) + rule.first + " -> " + target_text(rule.second) + "\n";
        std::set<const Node *> done;
        for (const auto &child : node.children) {
            if (done.contains(child.get()))
                continue;
            const std::vector<const Node *> group = alike(node, *child);
            done.insert(group.begin(), group.end());
            body += group.size() > 1 ? together(group, depth) : one(*child, child->name, depth);
        }
        return body;
    }

  private:
    /// The children that the pattern of a child selects; only the child if it has no pattern.
    static std::vector<const Node *> alike(const Node &node, const Node &child) {
        const std::string common = stem(child.name);
        std::vector<const Node *> group;
        for (const auto &other : node.children) {
            if (common.empty() || !other->name.starts_with(common))
                continue;
            if (stem(other->name) != common)
                return {&child};
            group.push_back(other.get());
        }
        return group.empty() ? std::vector<const Node *>{&child} : group;
    }

    /// A pattern for the common rules, and the rest by name: an exact path overrides a pattern (P5).
    [[nodiscard]] std::string together(const std::vector<const Node *> &group, int depth) const {
        const std::string pattern = stem(group.front()->name) + (group.front()->name.ends_with(']') ? "*]" : "*");
        const std::string first = text(*group.front(), depth + 1);
        if (std::all_of(group.begin(), group.end(), [&](const Node *node) { return text(*node, depth + 1) == first; }))
            return one(*group.front(), pattern, depth);
        Node common{pattern, {}, {}, {}};
        for (const auto &rule : group.front()->rules)
            if (std::all_of(group.begin(), group.end(), [&](const Node *node) { return says(node->rules, rule); }))
                common.rules.push_back(rule);
        std::string body = one(common, pattern, depth);
        for (const Node *node : group)
            body += one(*node, node->name, depth, common.rules);
        return body;
    }

    static bool says(const Rules &rules, const std::pair<std::string, Axes> &rule) {
        return std::find(rules.begin(), rules.end(), rule) != rules.end();
    }

    /// Empty if there are no rules.
    [[nodiscard]] std::string one(const Node &node, const std::string &selector, int depth,
                                  const Rules &said = {}) const {
        const std::string inner = text(node, depth + 1, said);
        const bool has_rules =
            std::any_of(node.rules.begin(), node.rules.end(), [&](const auto &rule) { return !says(said, rule); });
        return inner.empty() ? "" : selection(has_rules, selector, inner, depth);
    }

    static std::string indent(int depth) { return std::string(4 * static_cast<std::size_t>(depth), ' '); }

    /// "batch -> rows; hidden -> none"; empty if it is not one line, or too long.
    static std::string one_line(const std::string &body) {
        constexpr std::size_t most = 80;
        std::string line;
        for (std::size_t begin = 0; begin < body.size();) {
            const std::size_t end = body.find('\n', begin);
            const std::size_t word = body.find_first_not_of(' ', begin);
            line += (line.empty() ? "" : "; ") + body.substr(word, end - word);
            begin = end + 1;
        }
        return line.find('{') == std::string::npos && line.size() <= most ? line : "";
    }

    /// Writes `a { b { … } }` as `a.b { … }` if a contains nothing else; plain rules share one line.
    static std::string selection(bool has_rules, const std::string &selector, const std::string &inner, int depth) {
        if (const std::string items = one_line(inner); !items.empty())
            return indent(depth) + selector + " { " + items + " }\n";
        const std::string opened = indent(depth + 1);
        const std::size_t first = inner.find('\n');
        const bool one = !has_rules && inner.substr(0, first).ends_with(" {") &&
                         inner.find("\n" + opened + "}\n") == inner.size() - opened.size() - 3;
        // One selection on one line.
        if (!has_rules && inner.ends_with(" }\n") && first + 1 == inner.size())
            return indent(depth) + selector + "." + inner.substr(opened.size());
        if (!one)
            return indent(depth) + selector + " {\n" + inner + indent(depth) + "}\n";
        std::string joined = indent(depth) + selector + "." + inner.substr(opened.size(), first - opened.size()) + "\n";
        for (std::size_t begin = first + 1; begin < inner.size();) {
            const std::size_t end = inner.find('\n', begin) + 1;
            joined += inner.substr(begin + 4, end - begin - 4);
            begin = end;
        }
        return joined;
    }
};

/// In the order in which the layers have them.
std::vector<std::string> dimensions_of(const std::vector<LayerWish> &layers) {
    std::vector<std::string> all;
    for (const LayerWish &layer : layers)
        for (const auto &[dimension, axes] : layer.axes)
            if (std::find(all.begin(), all.end(), dimension) == all.end())
                all.push_back(dimension);
    return all;
}

} // namespace

std::string target_text(const std::vector<std::string> &axes) {
    std::string list;
    for (const std::string &axis : axes)
        list += (list.empty() ? "" : ", ") + axis;
    return axes.empty() ? "none" : axes.size() == 1 ? list : "[" + list + "]";
}

std::string fewest_rules(const std::vector<LayerWish> &layers) {
    Node root;
    for (const LayerWish &layer : layers) {
        Node *node = &root;
        for (std::size_t begin = 0; begin <= layer.path.size();) {
            const std::size_t end = std::min(layer.path.find('.', begin), layer.path.size());
            node = &node->child(layer.path.substr(begin, end - begin));
            begin = end + 1;
        }
        node->layers.push_back(&layer);
    }
    for (const std::string &dimension : dimensions_of(layers)) {
        std::vector<Axes> values = {{}};
        for (const LayerWish &layer : layers)
            if (const auto wanted = layer.axes.find(dimension);
                wanted != layer.axes.end() && std::find(values.begin(), values.end(), wanted->second) == values.end())
                values.push_back(wanted->second);
        OneDimension(dimension, values).run(root);
    }
    return Writer().text(root, 0);
}

std::vector<LayerWish> wishes(const Request &request, const Plan &plan,
                              const std::vector<std::pair<std::string, std::set<std::string>>> &operations) {
    const PerLayer<std::vector<LayerLoop>> loops = layer_loops(request.graph);
    std::unordered_map<std::string, LayerId> layers;
    for (const LayerId l : request.graph.layers.ids())
        layers.emplace(request.graph.layers[l].name, l);
    std::vector<LayerWish> result;
    for (const auto &[path, dimensions] : operations) {
        LayerWish &wish = result.emplace_back(LayerWish{path, {}, dimensions});
        const auto layer = layers.find(path);
        if (layer == layers.end())
            continue;
        const LayerStrategy &strategy = plan.layers[layer->second];
        for (const LayerLoop &loop : loops[layer->second])
            wish.axes[loop.name];
        for (std::size_t i = 0; i < plan.axes.size(); ++i) {
            const std::size_t axis = strategy.order.empty() ? i : static_cast<std::size_t>(strategy.order[i]);
            if (const std::string &loop = strategy.loop_of_axis[axis]; !loop.empty())
                wish.axes[loop].push_back(plan.axes[axis]);
        }
    }
    return result;
}

} // namespace planc::plan
