#include "plan/profiles/profile_plan.h"

#include "plan/baselines/baselines.h"
#include "plan/numbers.h"
#include "plan/space/space.h"

#include "cost/reports/report.h"
#include "cost/roles.h"

#include <algorithm>
#include <limits>

namespace planc::plan {

namespace {

/// The strategies of one mesh shape with the least time under the profile.
class Chain {
  public:
    Chain(const cost::ProfileModel &model, const Space &space, const Mesh &mesh)
        : model_(model), space_(space), mesh_(mesh) {}

    /// False: no strategy of some layer is covered. unsupported() names the layer and the reason.
    bool run() {
        for (std::size_t i = 0; i < model_.layers().size(); ++i)
            if (!extend(i))
                return false;
        return true;
    }
    [[nodiscard]] const std::string &unsupported() const { return unsupported_; }
    [[nodiscard]] LayerId unsupported_layer() const { return unsupported_layer_; }

    /// Layers that the profile does not price take their first strategy.
    [[nodiscard]] LayerStrategies strategies() const {
        LayerStrategies chosen;
        for (const auto &options : space_.options)
            chosen.push_back(options->front());
        if (options_.empty())
            return chosen;
        const std::vector<Option> &last = options_.back();
        auto at = static_cast<std::size_t>(
            std::min_element(last.begin(), last.end(),
                             [](const Option &a, const Option &b) { return a.best < b.best; }) -
            last.begin());
        for (std::size_t i = options_.size(); i-- > 0;) {
            chosen[model_.layers()[i]] = (*space_.options[model_.layers()[i]])[at];
            at = options_[i][at].from;
        }
        return chosen;
    }

  private:
    /// The properties of a strategy on which the sum depends.
    struct Option {
        cost::ProfileModel::Axes axes;
        double seconds = 0;
        double gathered = 0;    ///< seconds where the inputs have to be gathered
        double best = infinity; ///< of all layers up to this one
        std::size_t from = 0;   ///< the option of the layer before
    };

    /// The number of axes that split nothing of the layer. A profile without computation would prefer them.
    [[nodiscard]] int idle_axes(std::size_t index, const LayerStrategy &strategy) const {
        const cost::ProfileModel::Axes axes = model_.axes(index, strategy, mesh_);
        int idle = 0;
        for (std::size_t axis = 0; axis < mesh_.sizes.size(); ++axis)
            idle += mesh_.sizes[axis] > 1 && ((axes.outputs | axes.others) >> axis & 1) == 0;
        return idle;
    }

    Option option(std::size_t index, const LayerStrategy &strategy) {
        Option option;
        option.axes = model_.axes(index, strategy, mesh_);
        for (bool gathered : {false, true}) {
            const cost::ProfileLayer row = model_.price(index, strategy, mesh_, gathered);
            (gathered ? option.gathered : option.seconds) =
                row.unsupported.empty() ? (row.compute() + row.communication()).value : infinity;
            if (row.unsupported.empty())
                continue;
            unsupported_ = row.unsupported;
            unsupported_layer_ = row.layer;
        }
        return option;
    }

    /// Tabulates the minimum over all layers up to this one, for each strategy of it.
    bool extend(std::size_t index) {
        const Strategies &strategies = *space_.options[model_.layers()[index]];
        int least_idle = std::numeric_limits<int>::max();
        for (const LayerStrategy &strategy : strategies)
            least_idle = std::min(least_idle, idle_axes(index, strategy));
        std::vector<Option> options;
        bool covered = false;
        for (const LayerStrategy &strategy : strategies) {
            Option &here = options.emplace_back(option(index, strategy));
            if (idle_axes(index, strategy) > least_idle)
                continue;
            if (index == 0)
                here.best = here.seconds;
            for (std::size_t p = 0; index > 0 && p < options_.back().size(); ++p) {
                const Option &before = options_.back()[p];
                const bool gathers = cost::ProfileModel::gathers(before.axes, here.axes);
                const double sum = before.best + (gathers ? here.gathered : here.seconds);
                if (sum >= here.best)
                    continue;
                here.best = sum;
                here.from = p;
            }
            covered |= here.best < infinity;
        }
        options_.push_back(std::move(options));
        return covered;
    }

    const cost::ProfileModel &model_;
    const Space &space_;
    const Mesh &mesh_;
    std::vector<std::vector<Option>> options_; ///< per layer of the model and strategy
    std::string unsupported_;
    LayerId unsupported_layer_;
};

class ProfilePlanner {
  public:
    ProfilePlanner(cost::Profile profile, const Request &request)
        : request_(request), profile_(profile), model_(profile, request.graph, request.machine, request.batch) {}

    ProfilePlan make() {
        if (!request_.storage.texts.empty())
            return failed("does not price '" + request_.storage.texts.front() + "'");
        if (request_.graph.microbatches > 1)
            return failed("does not price micro-batches");
        if (std::any_of(request_.graph.operations.begin(), request_.graph.operations.end(), recomputes))
            return failed("does not price recomputation");
        if (model_.layers().empty())
            return failed("finds nothing that it prices");
        const std::vector<MeshShape> shapes = mesh_shapes(request_);
        if (shapes.empty())
            return failed("finds no mesh: " + std::to_string(request_.ranks) + " ranks do not make up its sizes");
        for (const MeshShape &shape : shapes)
            try_mesh(shape);
        if (best_ == infinity)
            return failed("does not cover the layout: " + plan_.meshes.front().unsupported);
        for (const cost::ProfileLayer &row : plan_.table.layers)
            plan_.words.push_back(words(row.layer));
        return std::move(plan_);
    }

  private:
    static bool recomputes(const sharding::Operation &operation) {
        return operation.phase == sharding::Phase::recompute;
    }

    ProfilePlan failed(const std::string &what) {
        plan_.failure = std::string("profile ") + cost::name(profile_) + " " + what;
        return std::move(plan_);
    }

    void try_mesh(const MeshShape &shape) {
        ProfileMesh &row = plan_.meshes.emplace_back();
        row.axes = shape.axes;
        row.mesh = shape.mesh;
        const Space space = make_space(request_, shape);
        Chain chain(model_, space, shape.mesh);
        price_pure_batch(shape);
        if (!chain.run()) {
            row.unsupported =
                "layer '" + request_.graph.layers[chain.unsupported_layer()].name + "' " + chain.unsupported();
            return;
        }
        const LayerStrategies layers = chain.strategies();
        const cost::ProfileTable table = model_.table(layers, shape.mesh, shape.axes);
        row.seconds = table.step;
        if (table.step.value >= best_)
            return;
        best_ = table.step.value;
        plan_.layers = layers;
        plan_.table = table;
    }

    void price_pure_batch(const MeshShape &shape) {
        const LayerStrategies layers = baselines(request_.graph, request_.batch, shape.mesh).front().layers;
        const cost::ProfileTable table = model_.table(layers, shape.mesh, shape.axes);
        const bool covered = std::all_of(table.layers.begin(), table.layers.end(),
                                         [](const cost::ProfileLayer &row) { return row.unsupported.empty(); });
        if (covered && (!plan_.pure_batch || table.step < *plan_.pure_batch))
            plan_.pure_batch = table.step;
    }

    [[nodiscard]] std::string words(LayerId layer) const {
        const cost::LayerRoles roles = cost::roles(request_.graph)[layer];
        cost::LayerRow row;
        for (int axis = 0; axis < static_cast<int>(plan_.table.axes.size()); ++axis)
            if (const std::string &loop = plan_.layers[layer].loop_of_axis[axis];
                std::find(roles.loops.begin(), roles.loops.end(), loop) != roles.loops.end())
                row.split.push_back({axis, loop, roles.word(loop)});
        return cost::split_words(row, plan_.table.axes);
    }

    const Request &request_;
    cost::Profile profile_;
    cost::ProfileModel model_;
    ProfilePlan plan_;
    double best_ = infinity;
};

} // namespace

ProfilePlan make_plan(cost::Profile profile, const Request &request) {
    return ProfilePlanner(profile, request).make();
}

} // namespace planc::plan
