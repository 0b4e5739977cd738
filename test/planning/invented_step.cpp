#include "invented_step.h"

#include <algorithm>
#include <utility>

namespace planc::planning {

namespace {

std::string number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

class InventedProgram : public ScheduledProgram {
  public:
    explicit InventedProgram(std::string plan) : name(std::move(plan)) {}
    std::string name;
};

class InventedStep : public TrainingStep {
  public:
    InventedStep(World &world, MemorySavings savings) : world_(world), savings_(std::move(savings)) {
        request_.memory_limit_bytes = world.asked_limit;
        request_.search = world.search;
        request_.ranks = 2;
        if (world.pipelines) {
            request_.mesh.automatic = true;
            request_.pipeline.emplace().wanted = false;
            request_.pipeline->layers = {sharding::LayerId(0), sharding::LayerId(1)};
        }
        if (savings_.cover > 0 && world.has_halves) // a product with one
            request_.graph.operations.emplace_back().nest.sparse.emplace();
        if (world.bytes_of_variables > 0) {
            sharding::Value &variable = request_.graph.values.emplace_back();
            variable.kind = sharding::ValueKind::variable;
            variable.extents = {static_cast<std::int64_t>(world.bytes_of_variables) / variable.element_bytes};
        }
        if (world.bytes_of_activations > 0)
            add_activation(world.bytes_of_activations / static_cast<double>(savings.microbatches));
    }

    const MemorySavings &savings() const { return savings_; }
    plan::Request &request() override { return request_; }

    /// A value of a forward operation that one of the backward pass reads.
    void add_activation(double bytes) {
        sharding::Graph &graph = request_.graph;
        sharding::Value &value = graph.values.emplace_back();
        value.producer = sharding::OperationId(graph.operations.size());
        value.extents = {static_cast<std::int64_t>(bytes) / value.element_bytes};
        graph.operations.emplace_back().results = {graph.values.end_id() - 1};
        sharding::Operation &reader = graph.operations.emplace_back();
        reader.phase = sharding::Phase::input_gradient;
        reader.operands = {graph.values.end_id() - 1};
    }

    std::vector<Scheduled> schedule(const std::vector<const plan::Plan *> &plans, Wanted wanted) override {
        static constexpr const char *names[] = {"program", "simulated program", "step"};
        std::string names_of_plans;
        std::vector<Scheduled> made;
        bool failed = false;
        for (const plan::Plan *plan : plans) {
            const std::string name = name_of(*plan);
            names_of_plans += " " + name;
            failed |= name == world_.unschedulable;
            const Figures &of_plan = world_.figures.at(name);
            Scheduled &one = made.emplace_back();
            one.program = std::make_unique<InventedProgram>(name);
            one.memory_bytes = wanted == Wanted::simulated_step ? of_plan.step_arena : whole_arena(of_plan);
            if (wanted != Wanted::program)
                one.overlap = cost::Overlap{cost::Seconds(of_plan.step), {}};
        }
        world_.log.push_back(std::string("schedule ") + names[static_cast<int>(wanted)] + ":" + names_of_plans);
        if (failed)
            made.clear();
        return made;
    }

    void simulate(Scheduled &scheduled) override {
        const std::string &name = static_cast<InventedProgram &>(*scheduled.program).name;
        world_.log.push_back("simulate " + name);
        scheduled.overlap = cost::Overlap{cost::Seconds(world_.figures.at(name).step), {}};
    }

    std::optional<std::int64_t> complete(const plan::Plan &plan, Scheduled &scheduled) override {
        const std::string &name = static_cast<InventedProgram &>(*scheduled.program).name;
        world_.log.push_back("complete " + name);
        if (name != name_of(plan))
            return std::nullopt; // the schedule of another plan
        return whole_arena(world_.figures.at(name));
    }

  private:
    static std::int64_t whole_arena(const Figures &figures) {
        return std::max(figures.step_arena, figures.whole_arena);
    }

    World &world_;
    MemorySavings savings_;
    plan::Request request_;
};

std::string short_words(const MemorySavings &savings) {
    return std::to_string(savings.microbatches) + (savings.recompute.empty() ? "" : " recompute") +
           (savings.recompute.size() > 1 ? " " + std::to_string(savings.recompute.size()) : "") +
           (savings.cover == 0 ? "" : " cover " + std::to_string(savings.cover));
}

} // namespace

plan::Plan priced(const std::string &name, double seconds, double estimated_bytes) {
    auto cost = std::make_shared<cost::CostTable>();
    cost->axes = {name};
    cost->compute = cost::Seconds(seconds);
    cost->memory.activations = cost::Bytes(estimated_bytes);
    plan::Plan plan;
    plan.axes = {name};
    plan.cost = cost;
    return plan;
}

plan::Plan nothing_fits(double least_bytes) {
    plan::Plan plan;
    plan.failure = "nothing fits";
    plan.out_of_memory = true;
    plan.least_memory = cost::Bytes(least_bytes);
    return plan;
}

/// No plan that is faster than what is known.
static plan::Plan too_slow(cost::Seconds at_most) {
    plan::Plan plan;
    plan.failure = "too slow";
    plan.too_slow = true;
    plan.lower_bound = at_most;
    return plan;
}

void add_passed(plan::Plan &answer, const plan::Plan &other) {
    answer.passed.push_back({other.axes, other.mesh, {}, {}, other.cost->seconds(), other.cost});
}

void add_baseline(plan::Plan &answer, const plan::Plan &other) {
    plan::Baseline baseline;
    baseline.name = baseline.axes.emplace_back(name_of(other));
    baseline.seconds = other.cost->seconds();
    baseline.memory = other.cost->memory.total();
    baseline.cost = other.cost;
    answer.baselines.push_back(std::move(baseline));
}

std::string name_of(const plan::Plan &plan) {
    return plan.axes.empty() ? "none" : plan.axes.front();
}

std::optional<Answer> World::run(const MemorySavings &pinned, std::int64_t batch) {
    log.clear();
    std::vector<std::shared_ptr<InventedStep>> steps;
    Tools tools;
    tools.derive = [&](const MemorySavings &savings) -> std::shared_ptr<TrainingStep> {
        log.push_back("derive " + short_words(savings));
        if (!can_derive(savings))
            return nullptr;
        const auto step = std::make_shared<InventedStep>(*this, savings);
        steps.push_back(step);
        return step;
    };
    tools.blocks = blocks;
    tools.may_divide = [&] { return may_divide; };
    tools.may_accumulate = [&] { return may_accumulate; };
    if (may_cover)
        tools.may_cover = [](std::int64_t) { return true; };
    tools.chance_of_pipelines = [&](const plan::Request &, int, cost::Seconds, plan::ChancesOfDepths &) {
        return plan::PipelineChance{pipelines_may_win, cost::Seconds(0.5)};
    };
    tools.make_plan = [&](const plan::Request &request) {
        log.push_back("plan for " + number(request.memory_limit_bytes));
        const auto of_request = [&](const std::shared_ptr<InventedStep> &step) { return &step->request() == &request; };
        const auto step = std::find_if(steps.begin(), steps.end(), of_request);
        plan::Plan plan = make_plan((*step)->savings(), request.memory_limit_bytes);
        if (plan.failure.empty() && plan.cost->seconds() >= request.at_most)
            plan = too_slow(request.at_most);
        plan.memory_limit_bytes = request.memory_limit_bytes;
        return plan;
    };
    tools.smallest_plan = [&](const plan::Request &request, cost::Bytes known) {
        log.push_back("smallest plan");
        const auto of_request = [&](const std::shared_ptr<InventedStep> &step) { return &step->request() == &request; };
        const plan::Plan plan = smallest_plan((*std::find_if(steps.begin(), steps.end(), of_request))->savings());
        return has_plan(plan) && plan.cost->memory.total() < known ? plan : nothing_fits(0);
    };
    return PlanSearch(std::move(tools), pinned, batch).run();
}

} // namespace planc::planning
