#include "driver/planning/mesh_request.h"

#include "driver/commands/commands.h"
#include "plan/pipeline/positions.h"

#include <algorithm>

namespace planc::driver {

namespace {

constexpr std::int64_t most_mesh_ranks = 1 << 20;

plan::MeshAxis axis_of(const std::string &name, const std::vector<std::int64_t> &sizes, bool is_list) {
    if (!is_list)
        return {name, static_cast<int>(sizes.front())};
    return {name, static_cast<int>(*std::ranges::max_element(sizes)), {sizes.begin(), sizes.end()}};
}

class MeshMaker {
  public:
    MeshMaker(const Options &options, PlanRequest &request)
        : options_(options), result_(request), wanted_(request.request.mesh) {}

    void make(const sema::Mesh *mesh, const sema::Layout *layout) {
        wanted_.automatic = mesh == nullptr || mesh->automatic;
        if (wanted_.automatic && !options_.mesh.empty()) {
            // The command line names the axes of a mesh that leaves them open.
            wanted_.automatic = false;
            for (const auto &[name, sizes, is_list] : options_.mesh)
                wanted_.axes.push_back(axis_of(name, sizes, is_list));
        } else if (!wanted_.automatic) {
            for (const sema::MeshAxis &axis : mesh->axes)
                wanted_.axes.push_back(axis.sizes.empty()
                                           ? plan::MeshAxis{axis.name, static_cast<int>(axis.size.value_or(0))}
                                           : axis_of(axis.name, axis.sizes, true));
            override_sizes(*mesh);
        }
        settle_lists(layout == nullptr || !layout->pipeline ? "" : layout->pipeline->axis);
        set_ranks();
    }

  private:
    void override_sizes(const sema::Mesh &mesh) {
        for (const auto &[name, sizes, is_list] : options_.mesh) {
            const auto at =
                std::find_if(wanted_.axes.begin(), wanted_.axes.end(),
                             [&, wanted = name](const plan::MeshAxis &axis) { return axis.name == wanted; });
            if (at == wanted_.axes.end())
                throw RequestError{"--mesh: mesh '" + mesh.name + "' has no axis '" + name + "'" +
                                       hint(name, names_of(mesh.axes)),
                                   usage_error};
            *at = axis_of(name, sizes, is_list);
        }
    }

    /// What a file says was checked before. A list of equal sizes is one size.
    void settle_lists(const std::string &stages) {
        const auto along = std::find_if(wanted_.axes.begin(), wanted_.axes.end(),
                                        [&](const plan::MeshAxis &axis) { return axis.name == stages; });
        for (plan::MeshAxis &axis : wanted_.axes) {
            if (axis.sizes.empty())
                continue;
            if (along == wanted_.axes.end())
                throw RequestError{"--mesh: axis '" + axis.name +
                                       "' has a size for each stage, but there is no pipeline",
                                   usage_error};
            if (axis.name == stages)
                throw RequestError{"--mesh: axis '" + stages +
                                       "' has the stages of the pipeline: its size is their number",
                                   usage_error};
            if (along->size == 0)
                along->size = static_cast<int>(axis.sizes.size());
            if (static_cast<int>(axis.sizes.size()) != along->size)
                throw RequestError{"--mesh: axis '" + axis.name + "' has " + std::to_string(axis.sizes.size()) +
                                       (axis.sizes.size() == 1 ? " size" : " sizes") + " for the " +
                                       std::to_string(along->size) + " positions along the pipeline's axis '" + stages +
                                       "'",
                                   usage_error};
            if (std::ranges::equal(axis.sizes, std::vector(axis.sizes.size(), axis.size)))
                axis.sizes.clear();
        }
        if (along != wanted_.axes.end())
            stages_ = static_cast<int>(along - wanted_.axes.begin());
    }

    /// Open axes count as 1.
    [[nodiscard]] std::int64_t fixed_ranks() const {
        std::int64_t largest = 1;
        for (const plan::MeshAxis &axis : wanted_.axes) {
            largest *= std::max(axis.size, 1);
            if (largest > most_mesh_ranks)
                throw RequestError{"the mesh has more than " + std::to_string(most_mesh_ranks) + " ranks", input_error};
        }
        return plan::is_uneven(wanted_)
                   ? plan::uneven_mesh(wanted_, wanted_.axes[static_cast<std::size_t>(stages_)].name).ranks()
                   : largest;
    }

    void set_ranks() {
        const std::int64_t fixed = fixed_ranks();
        const auto open_axes = std::ranges::count(wanted_.axes, 0, &plan::MeshAxis::size);
        const bool open = wanted_.automatic || open_axes > 0;
        if (!options_.ranks && open && fixed == 1)
            result_.notes.emplace_back("the mesh leaves its size open: planned for one rank; --ranks N gives more");
        const std::int64_t ranks = options_.ranks.value_or(fixed);
        if (!open && ranks != fixed)
            throw RequestError{"--ranks " + std::to_string(ranks) + " does not fit the mesh, which has " +
                                   std::to_string(fixed) + " ranks; --mesh changes its sizes",
                               usage_error};
        if (ranks % fixed != 0)
            throw RequestError{"--ranks " + std::to_string(ranks) + " is not a multiple of the " +
                                   std::to_string(fixed) + " ranks that the mesh fixes",
                               usage_error};
        if (plan::is_uneven(wanted_) && open_axes > 1)
            throw RequestError{"where stages have unequal numbers of ranks, at most one size of the mesh may be open",
                               input_error};
        if (plan::is_uneven(wanted_) && open_axes == 1)
            std::ranges::find(wanted_.axes, 0, &plan::MeshAxis::size)->size = static_cast<int>(ranks / fixed);
        result_.request.ranks = static_cast<int>(ranks);
        result_.request.effort = options_.effort;
    }

    const Options &options_;
    PlanRequest &result_;
    plan::MeshRequest &wanted_;
    int stages_ = -1; ///< the axis of the pipeline; -1: none is named
};

} // namespace

std::string hint(const std::string &name, const std::vector<std::string> &candidates) {
    const std::string near = support::nearest(name, candidates);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

void set_mesh(const sema::Mesh *mesh, const sema::Layout *layout, const Options &options, PlanRequest &request) {
    MeshMaker(options, request).make(mesh, layout);
}

} // namespace planc::driver
