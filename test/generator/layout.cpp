#include "layout.h"

#include "graph_network.h"
#include "pipeline.h"
#include "step.h"

#include <algorithm>
#include <map>

namespace planc::test {

namespace {

const std::vector<std::vector<int>> shapes{
    {1},    {2},    {3},       {4},       {5},       {6},       {7},          {8},         {2, 2},
    {2, 3}, {3, 2}, {2, 4},    {4, 2},    {1, 4},    {3, 1},    {2, 2},       {2, 3},      {4, 2},
    {2, 4}, {3, 2}, {2, 2, 2}, {2, 1, 3}, {2, 2, 1}, {1, 1, 5}, {2, 1, 2, 2}, {2, 2, 2, 1}};

class Rules {
  public:
    Rules(RandomNetwork &network, Random &random) : network_(network), random_(random) {
        for (const GridAxis &axis : network.file.axes)
            if (axis.name != pipeline_axis)
                axes_.push_back(axis.name);
    }

    void write() {
        roles_ = network_.roles;
        roles_.insert(roles_.end(), network_.frequent_roles.begin(), network_.frequent_roles.end());
        const auto all = assignment();
        for (const auto &[role, axes] : all)
            network_.file.rules.push_back(rule(role, axes));
        for (int count = random_.whole(0, 3); count > 0; --count)
            network_.file.rules.push_back(selection(all));
        if (!all.empty() && random_.chance(0.5)) {
            const auto pin = all.begin();
            network_.file.pins.push_back(rule(pin->first, pin->second));
        }
        save_memory(network_.file.rules);
        save_memory(network_.file.pins);
    }

  private:
    using Assignment = std::map<std::string, std::vector<std::string>>;

    /// Every axis to one role or to none, axes of one role in any order.
    Assignment assignment() {
        Assignment by_role;
        std::vector<std::string> axes = axes_;
        random_.shuffle(axes);
        for (const std::string &axis : axes)
            if (!random_.chance(0.15))
                by_role[random_.pick(roles_)].push_back(axis);
        return by_role;
    }

    static std::string rule(const std::string &role, const std::vector<std::string> &axes) {
        if (axes.empty())
            return role + " -> none";
        std::string list;
        for (const std::string &axis : axes)
            list += (list.empty() ? "" : ", ") + axis;
        return role + " -> " + (axes.size() == 1 ? list : "[" + list + "]");
    }

    /// Another assignment for some layers. Mostly a whole one; sometimes it only adds to the global one, or only takes
    /// away.
    std::string selection(const Assignment &global) {
        Assignment own = random_.chance(0.2) ? Assignment() : assignment();
        if (!random_.chance(0.2))
            for (const auto &[role, axes] : global)
                own.emplace(role, std::vector<std::string>{});
        std::string text;
        for (const auto &[role, axes] : own)
            text += (text.empty() ? "" : "; ") + rule(role, axes);
        return selector() + " { " + text + " }";
    }

    /// Stored parameters, micro-batches, covers, recomputation.
    void save_memory(std::vector<std::string> &lines) {
        std::vector<std::string> kinds{"params", "gradients", "optimizer"};
        random_.shuffle(kinds);
        for (int count = !axes_.empty() && random_.chance(0.5) ? random_.whole(1, 3) : 0; count > 0; --count)
            lines.push_back(store(kinds[static_cast<std::size_t>(count - 1)]));
        if (!network_.pipeline && network_.independent_samples && random_.chance(0.4))
            lines.push_back("microbatches = " + std::to_string(random_.whole(1, std::min(network_.batch, 4))));
        if (network_.graph && random_.chance(0.3)) // refused if there are fewer vertices
            lines.push_back("cover = " + std::to_string(random_.whole(1, 6)));
        if (random_.chance(0.15))
            lines.push_back("recompute");
        for (int count = random_.chance(0.2) ? random_.whole(1, 2) : 0; count > 0; --count)
            lines.push_back(random_.pick(network_.layers) + " { recompute }");
    }

    std::string store(const std::string &what) {
        std::vector<std::string> axes = axes_;
        random_.shuffle(axes);
        axes.resize(
            static_cast<std::size_t>(random_.whole(random_.chance(0.1) ? 0 : 1, static_cast<int>(axes.size()))));
        return rule("store " + what, axes);
    }

    std::string selector() {
        std::string layer = random_.pick(network_.layers);
        if (random_.chance(0.2))
            layer = layer.substr(0, 1) + "*";
        return random_.chance(0.1) ? "loss" : layer;
    }

    RandomNetwork &network_;
    Random &random_;
    std::vector<std::string> axes_;
    std::vector<std::string> roles_;
};

} // namespace

void add_layout(RandomNetwork &network, Random &random) {
    static const std::vector<std::string> names{"rows", "cols", "deep", "last"};
    static const std::vector<std::vector<int>> nine{{9}, {3, 3}, {9, 1}};
    const std::vector<int> &shape = random.pick(network.graph && random.chance(0.1) ? nine : shapes);
    network.file.axes.clear();
    network.file.rules.clear();
    network.file.pins.clear();
    for (std::size_t i = 0; i < shape.size(); ++i)
        network.file.axes.emplace_back(names[i], shape[i]);
    if (network.pipeline)
        add_pipeline(network, random);
    Rules(network, random).write();
}

PlanFile random_file(std::uint64_t seed, const NetworkOptions &options) {
    constexpr int tries = 8;
    Random random(seed);
    NetworkOptions own = options;
    const bool pipeline = options.pipelines > 0 && random.chance(options.pipelines);
    if (pipeline && random.chance(0.8)) { // else there is one micro-batch
        own.independent_samples = true;
        own.normalised_parts = options.normalised_parts && random.chance(0.3);
    } else {
        own.normalised_parts = false;
    }
    RandomNetwork network = own.graph ? random_graph_network(random, own) : random_network(random, own);
    network.pipeline = pipeline;
    for (int i = 0; i < tries; ++i) {
        add_layout(network, random);
        if (is_accepted(network.file))
            break;
    }
    return network.file;
}

} // namespace planc::test
