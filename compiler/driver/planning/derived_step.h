// The training step in the IR, as the search for a plan sees it (compiler/planning).
#pragma once

#include "driver/planning/request.h"
#include "driver/planning/scheduled.h"
#include "pipeline/schedule.h"
#include "planning/memory_savings.h"
#include "planning/training_step.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace planc::driver {

/// @train, @evaluate and @predict, derived with these savings, for these updates of a step.
struct DerivedModule {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    planning::MemorySavings savings;
    pipeline::Updates updates;
};

class DerivedStep : public planning::TrainingStep {
  public:
    /// `print`: the IR after every pass. `report` gets the line that says why a plan could not be scheduled.
    DerivedStep(std::shared_ptr<DerivedModule> derived, PlanRequest request, bool print,
                std::function<void(const std::string &)> report)
        : derived_(std::move(derived)), request_(std::move(request)), print_(print), report_(std::move(report)) {}

    [[nodiscard]] mlir::ModuleOp module() const { return *derived_->module; }
    [[nodiscard]] const planning::MemorySavings &savings() const { return derived_->savings; }
    [[nodiscard]] PlanRequest &plan_request() { return request_; }
    [[nodiscard]] const PlanRequest &plan_request() const { return request_; }

    [[nodiscard]] plan::Request &request() override { return request_.request; }
    [[nodiscard]] std::vector<planning::Scheduled> schedule(const std::vector<const plan::Plan *> &plans,
                                                            planning::Wanted wanted) override;
    void simulate(planning::Scheduled &scheduled) override;
    [[nodiscard]] std::optional<std::int64_t> complete(const plan::Plan &plan, planning::Scheduled &scheduled) override;

  private:
    [[nodiscard]] Scheduler scheduler() const { return {module(), request_.request, print_}; }
    bool is_made(planning::Scheduled &scheduled) const;

    std::shared_ptr<DerivedModule> derived_;
    PlanRequest request_;
    bool print_;
    std::function<void(const std::string &)> report_;
};

} // namespace planc::driver
