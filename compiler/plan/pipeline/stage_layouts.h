// The stages of a pipeline, laid out on their ranks. A search prices many plans one after another that differ by
// little, such as the schedule: what the next plan has in common with the last one is not made anew.
#pragma once

#include "pipeline/schedule.h"
#include "plan/pipeline/sends.h"
#include "plan/pipeline/staged_step.h"
#include "plan/plan.h"
#include "sharding/lay_out.h"

#include <deque>
#include <optional>
#include <vector>

namespace planc::plan {

/// The ranks of a role, and what is known of their prices.
struct RoleRanks {
    planrt::Role role;
    Mesh mesh;
    KnownPrices known;
    RoleRanks(planrt::Role of, const Mesh &whole, const Machine &machine)
        : role(std::move(of)), mesh(role.mesh(whole)), known(mesh, whole, role, machine) {}
};

/// A stage of a replica.
struct StageLayout {
    sharding::StageGraph stage; ///< micro-batches in flight and versions of weights are those of a schedule
    sharding::LaidOut laid_out;
    sharding::StageGraph larger; ///< of larger micro-batches, if there are any
    sharding::LaidOut larger_laid_out;
};

class StageLayouts {
  public:
    /// It must outlive this.
    explicit StageLayouts(const Request &request) : request_(request) {}
    StageLayouts(const StageLayouts &) = delete;
    StageLayouts &operator=(const StageLayouts &) = delete;

    /// Sets all that follows to a plan.
    void lay_out(const Plan &plan, const pipeline::Schedule &schedule);

    [[nodiscard]] const StagedStep &step() const { return step_; }
    /// Empty: all micro-batches are of one size.
    [[nodiscard]] const StagedStep &larger_step() const { return larger_step_; }
    /// By number of the part.
    [[nodiscard]] std::vector<StageLayout> &parts() { return parts_; }
    [[nodiscard]] const RoleRanks &ranks(int role) const { return on_mesh_->ranks[static_cast<std::size_t>(role)]; }
    /// In an even mesh, all roles have the same prices.
    [[nodiscard]] KnownPrices &known(int role) {
        return on_mesh_->ranks[on_mesh_->mesh.is_even() ? 0 : static_cast<std::size_t>(role)].known;
    }
    [[nodiscard]] Sends &sends() { return on_mesh_->sends; }

  private:
    struct OnMesh {
        Mesh mesh;
        int axis;                    ///< of the pipeline
        std::deque<RoleRanks> ranks; ///< by role; they refer to each other
        Sends sends;
        OnMesh(const Mesh &whole, int of_pipeline, const Machine &machine);
    };
    /// How the stages' layers are split.
    struct Splits {
        LayerStrategies layers;
        Storage storage;
        std::vector<int> roles; ///< of the parts, where these have different ranks
        friend bool operator==(const Splits &, const Splits &) = default;
    };
    void cut(const sharding::LayerStages &stages, int replicas);
    void lay_out(const Plan &plan, const std::vector<int> &roles);

    const Request &request_;
    std::optional<OnMesh> on_mesh_;
    sharding::LayerStages stages_; ///< of step_
    int replicas_ = 0;             ///< of step_; 0: there is none yet
    StagedStep step_;
    StagedStep larger_step_;
    std::vector<StageLayout> parts_;
    std::optional<Splits> splits_; ///< of what is laid out in parts_
};

} // namespace planc::plan
