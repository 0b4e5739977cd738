#include "check_case.h"

#include "compare_runs.h"
#include "pipeline.h"
#include "random.h"
#include "stale_step.h"

#include "ir/entry_functions.h"
#include "ir/pipeline_attribute.h"
#include "plan/pipeline/positions.h"
#include "plan/pipeline/price_pipeline.h"
#include "plan/pipeline/stages.h"
#include "plan/plan.h"
#include "schedule/schedule.h"
#include "spmd/accumulators.h"
#include "spmd/materialize.h"

#include "mlir/IR/Verifier.h"

#include <numeric>
#include <set>

namespace planc::test {

namespace {

std::string print(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    return text;
}

class Check {
  public:
    Check(const PlanFile &file, std::uint64_t seed) : file_(file), random_(seed) {}

    CaseResult run() {
        try {
            run_all();
        } catch (const Refusal &refusal) {
            result_.refused = refusal.what();
        } catch (const Difference &difference) {
            result_.difference = difference.what();
        } catch (const interpret::Failure &failure) {
            result_.difference = failure.what();
        }
        if (!result_.difference.empty())
            result_.difference = stage_ + ": " + result_.difference;
        return std::move(result_);
    }

  private:
    void run_all() {
        stage_ = "one rank";
        step_.emplace(file_);
        const bool is_graph = !step_->train().matrices.empty();
        const bool sampled = step_->train().batch_vertices > 0;
        whole_ = is_graph && !sampled ? step_->as_written() : Module(step_->module().clone());
        const Reference reference(step_->module(), *whole_, step_->train(), random_);
        if (!reference.finite())
            throw Refusal("the numbers of one rank are not finite");
        if (!reference.stable(step_->module(), step_->train(), random_))
            throw Refusal("the numbers of one rank depend on rounding");
        if (is_graph && !sampled && !divides_by_norms(step_->train()))
            check_as_written(reference);
        check_schedule(reference, Module(step_->module().clone()), nullptr);
        for (const char *layout : {"rules", "searched"}) {
            stage_ = std::string("layout ") + layout;
            const Module module = step_->derive(step_->savings_of(layout), step_->updates_of(layout));
            const plan::Request request = step_->request(*module, layout);
            const plan::Plan plan = plan::make_plan(request);
            if (!plan.failure.empty())
                throw Refusal(plan.failure);
            check_beside_one_rank(reference, *module, request, plan);
        }
        const planning::MemorySavings savings = random_savings();
        stage_ = "random strategies";
        for (const std::string &word : planning::words(savings))
            stage_ += ", " + word;
        const Module module = derive_if_possible(savings);
        const plan::Request request = step_->request(*module, "rules");
        const plan::Plan plan = random_strategies(request);
        if (!plan.failure.empty())
            throw Refusal(plan.failure);
        check_beside_one_rank(reference, *module, request, plan);
    }

    /// The order of products, what is computed once, simplification, and sums over entries without their pairs.
    /// Where a gradient is zero in one of the two but for rounding and in the other exactly, lars and lamb differ.
    void check_as_written(const Reference &reference) {
        stage_ = "as written";
        showing(*whole_, [&] { reference.compare_numbers(*whole_); });
        stage_ = "one rank";
    }

    /// `whole`: one rank with the whole batch at once.
    void check_beside_one_rank(const Reference &whole, mlir::ModuleOp module, const plan::Request &request,
                               const plan::Plan &plan) {
        const bool stale = plan.pipeline && has_several_updates(module);
        if (!stale && !has_statistics_of_parts(module))
            return check_plan(whole, module, request, plan);
        const Module one(module.clone());
        if (stale)
            make_stale(*one, request, plan);
        if (failed(spmd::expand_accumulates(*one)))
            throw Difference("the sums over micro-batches could not be made");
        const Reference in_parts(*one, *whole_, step_->train(), random_);
        if (in_parts.finite() && in_parts.stable(*one, step_->train(), random_))
            check_plan(in_parts, module, request, plan);
    }

    /// With batch normalisation a step in micro-batches is another one than that of the whole batch.
    static bool has_statistics_of_parts(mlir::ModuleOp module) {
        return module->hasAttr("plan.microbatches") && llvm::any_of(module.getOps<ir::VariableOp>(), [](auto variable) {
                   return variable->hasAttr("statistic");
               });
    }

    planning::MemorySavings random_savings() {
        planning::MemorySavings savings;
        const sema::Train &train = step_->train();
        const auto batch =
            static_cast<int>(train.batch_vertices > 0 ? train.batch_vertices
                                                      : train.loss.arguments.front().type.dimensions.front().extent);
        if (const int stages = file_.stages(); stages > 1)
            savings.microbatches = random_.whole(1, most_micro_batches(batch, stages));
        else if (random_.chance(0.4))
            savings.microbatches = random_.whole(1, std::min(batch, 4));
        if (random_.chance(0.3))
            savings.recompute = {""};
        if (const int parts = random_.whole(1, 6); driver::may_cover(step_->train(), parts) && random_.chance(0.4))
            savings.cover = parts;
        return savings;
    }

    /// Without the micro-batches where the loss is no sum over samples.
    Module derive_if_possible(planning::MemorySavings savings) {
        const pipeline::Updates updates = step_->updates_of("rules");
        try {
            return step_->derive(savings, updates);
        } catch (const Refusal &) {
            savings.microbatches = 1;
            return step_->derive(savings, updates);
        }
    }

    /// Some of the axes, in any order; not the pipeline's.
    std::vector<int> random_axes(const std::vector<std::string> &names) {
        std::vector<int> axes;
        for (std::size_t axis = 0; axis < names.size(); ++axis)
            if (names[axis] != pipeline_axis)
                axes.push_back(static_cast<int>(axis));
        random_.shuffle(axes);
        axes.resize(static_cast<std::size_t>(random_.whole(0, static_cast<int>(axes.size()))));
        return axes;
    }

    /// Every layer: any of its loops, or none, on every axis; axes that share a loop in any order.
    plan::Plan random_strategies(const plan::Request &request) {
        plan::Plan plan;
        for (const plan::MeshAxis &axis : request.mesh.axes) {
            plan.axes.push_back(axis.name);
            plan.mesh.sizes.push_back(axis.size);
        }
        const plan::Mesh largest = plan.mesh;
        if (plan::is_uneven(request.mesh))
            plan.mesh = plan::uneven_mesh(request.mesh, pipeline_axis);
        sharding::PerLayer<std::set<std::string>> loops(request.graph.layers.size());
        for (const sharding::Operation &operation : request.graph.operations)
            for (const sharding::Loop &loop : operation.nest.loops)
                loops[operation.layer].insert(loop.name);
        for (const std::set<std::string> &names : loops) {
            std::vector<std::string> choices(names.begin(), names.end());
            choices.emplace_back();
            sharding::LayerStrategy strategy;
            strategy.order.resize(plan.axes.size());
            std::iota(strategy.order.begin(), strategy.order.end(), 0);
            random_.shuffle(strategy.order);
            for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
                strategy.loop_of_axis.push_back(plan.axes[axis] == pipeline_axis ? "" : random_.pick(choices));
            plan.layers.push_back(std::move(strategy));
        }
        if (random_.chance(0.4))
            plan.storage.parameters = random_axes(plan.axes);
        if (random_.chance(0.4))
            plan.storage.gradients = random_axes(plan.axes);
        if (random_.chance(0.4))
            plan.storage.optimizer = random_axes(plan.axes);
        plan.cost = std::make_shared<const cost::CostTable>(
            plan::evaluate(request, largest, plan.axes, plan.layers, plan.storage));
        if (request.pipeline)
            put_on_stages(*request.pipeline, request, plan);
        return plan;
    }

    static void put_on_stages(const plan::PipelineRequest &wanted, const plan::Request &request, plan::Plan &plan) {
        plan::PipelinePlan &pipeline = plan.pipeline.emplace();
        pipeline.axis = wanted.axis;
        pipeline.schedule = wanted.schedule;
        pipeline.chunks = wanted.chunks;
        const auto axis = std::find(plan.axes.begin(), plan.axes.end(), wanted.axis) - plan.axes.begin();
        plan::StageCosts costs{{plan.cost}, {}};
        plan.failure =
            plan::make_stages(plan::Cuts(request), costs, plan.mesh.sizes[static_cast<std::size_t>(axis)], pipeline);
        if (plan.failure.empty())
            plan.cost = std::make_shared<const cost::CostTable>(plan::price_pipeline(request, plan));
    }

    void check_plan(const Reference &reference, mlir::ModuleOp derived, const plan::Request &request,
                    const plan::Plan &plan) {
        Module module(derived.clone());
        driver::set_plan(*module, request.graph, plan);
        showing(*module, [&] {
            if (failed(spmd::materialize(*module)) || failed(mlir::verify(*module)))
                throw Difference("the step could not be laid out");
            if (plan.pipeline)
                return; // stages wait for each other within their functions: only bodies can be run
            const auto traffic = reference.compare(*module);
            for (const interpret::CollectiveRecord &collective : traffic)
                ++result_.collectives[collective.kind];
            compare_traffic(traffic, *plan.cost, false);
        });
        check_schedule(reference, std::move(module), plan.cost.get());
    }

    void check_schedule(const Reference &reference, Module module, const cost::CostTable *table) {
        const std::string stage = stage_;
        const bool overlap = random_.chance(0.7);
        const bool all_halos = random_.chance(0.7); // images are too small for it to pay
        const bool staged = random_.chance(0.5);
        const bool is_pipeline = ir::has_pipeline(*module);
        const int slots =
            !is_pipeline && (*module)->hasAttr("plan.microbatches") && random_.chance(0.5) ? random_.whole(2, 3) : 1;
        stage_ += overlap ? ", scheduled" : ", scheduled without overlap";
        stage_ += all_halos ? ", all halos apart" : "";
        stage_ += staged ? ", gathers in pieces" : "";
        stage_ += slots > 1 ? ", " + std::to_string(slots) + " in flight" : "";
        if (!is_pipeline) // stages have their own
            ir::set_slots(*module, slots);
        showing(*module, [&] {
            if (failed(schedule::run(*module,
                                     {.overlap = overlap, .overlap_all_halos = all_halos, .stage_gathers = staged})) ||
                failed(mlir::verify(*module)))
                throw Difference("the program could not be scheduled");
            const auto traffic = reference.compare(*module);
            if (table != nullptr && is_pipeline)
                compare_busiest(traffic, *table);
            else if (table != nullptr)
                compare_traffic(traffic, *table, true);
            if (is_pipeline)
                for (const interpret::CollectiveRecord &collective : traffic)
                    ++result_.collectives[collective.kind];
        });
        stage_ = stage;
    }

    /// A failure of `check` leaves the program in the result.
    template <class Work> void showing(mlir::ModuleOp module, Work check) {
        try {
            check();
        } catch (const std::runtime_error &) {
            result_.program = print(module);
            throw;
        }
    }

    const PlanFile &file_;
    Random random_;
    std::optional<Step> step_;
    Module whole_; ///< the step with all inputs of the data
    std::string stage_;
    CaseResult result_;
};

} // namespace

CaseResult check_case(const PlanFile &file, std::uint64_t seed) {
    return Check(file, seed).run();
}

} // namespace planc::test
