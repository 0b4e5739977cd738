#include "driver/planning/scheduled.h"

#include "cost/collectives/step_price.h"
#include "driver/planning/request.h"
#include "plan/near_optimal.h"
#include "schedule/evaluation.h"
#include "schedule/matrix_memory.h"
#include "schedule/schedule.h"
#include "schedule/staged.h"
#include "spmd/materialize.h"
#include "support/parallel.h"
#include "timeline/read_schedule.h"
#include "timeline/simulate.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace planc::driver {

using planning::Scheduled;
using planning::Wanted;

const char *const not_laid_out = "internal error: the plan could not be laid out; please report the .plan file";

std::optional<PassError> run_passes(mlir::ModuleOp module, void (*add)(mlir::OpPassManager &), bool print) {
    mlir::MLIRContext *context = module.getContext();
    PassError error{mlir::UnknownLoc::get(context), ""};
    const mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
        if (error.text.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            error = {diagnostic.getLocation(), diagnostic.str()};
    });
    mlir::PassManager passes(context);
    if (print)
        passes.enableIRPrinting();
    add(passes);
    passes.enableVerifier(false); // plan-opt verifies after every pass; here, only the final result is verified
    if (succeeded(passes.run(module)) && succeeded(mlir::verify(module)))
        return std::nullopt;
    return error;
}

std::string internal_error(const PassError &error) {
    return "internal error in the compiler" + (error.text.empty() ? "" : " (" + error.text + ")") +
           "; please report the .plan file";
}

namespace {

/// What collectives take among the ranks of a role.
struct PricesOfRole {
    PricesOfRole(const planrt::Role &role, const planrt::Mesh &whole, const cost::Machine &machine)
        : mesh(role.mesh(whole)), prices(mesh, whole, role, machine) {}
    planrt::Mesh mesh;
    cost::StepPrices prices;
};

} // namespace

bool lay_out_by(const plan::Plan &plan, const cost::Machine &machine, mlir::ModuleOp module) {
    std::map<int, PricesOfRole> known; // by first rank
    const auto method = [&](const planrt::Role &ranks, const sharding::Graph &graph, sharding::ValueId value,
                            const sharding::Copy &copy, const sharding::Step &step) {
        PricesOfRole &of_role = known.try_emplace(ranks.rank_of(plan.mesh, 0), ranks, plan.mesh, machine).first->second;
        const bool fusable = sharding::fusable(graph, of_role.mesh, value, copy);
        return of_role.prices.of(step, graph.values[value].element_bytes, cost::in_bucket(fusable, copy.phase)).method;
    };
    return succeeded(spmd::materialize(module, method));
}

static cost::Overlap overlap_of(const timeline::Program &program) {
    const timeline::Timeline timeline = timeline::simulate(program);
    return {timeline.makespan, timeline.critical().exposed};
}

cost::Overlap overlap_of(mlir::ModuleOp scheduled, const cost::Machine &machine) {
    return overlap_of(timeline::read_schedule(scheduled, machine));
}

std::int64_t arena_bytes(mlir::ModuleOp scheduled) {
    return scheduled->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes").getInt();
}

namespace {

/// Whether a program whose gathers are staged is better: it alone keeps the limit on memory, or is faster in
/// simulation.
bool is_better(mlir::ModuleOp staged, mlir::ModuleOp whole, const cost::Machine &machine, double limit) {
    const auto keeps = [&](mlir::ModuleOp module) {
        return limit == 0 || static_cast<double>(schedule::rank_memory(module).all) <= limit;
    };
    if (const bool fits = keeps(staged); fits != keeps(whole))
        return fits;
    return overlap_of(staged, machine).step < (1 - plan::least_gain) * overlap_of(whole, machine).step;
}

} // namespace

std::optional<PassError> schedule_program(mlir::ModuleOp module, const cost::Machine &machine, double limit,
                                          bool print) {
    const auto add = [](mlir::OpPassManager &passes) { schedule::add_passes(passes); };
    const auto add_staged = [](mlir::OpPassManager &passes) { schedule::add_passes(passes, {.stage_gathers = true}); };
    mlir::OwningOpRef<mlir::ModuleOp> staged = module.clone();
    if (auto error = run_passes(module, add, print))
        return error;
    if (!schedule::has_gathers_to_stage(module))
        return std::nullopt;
    if (auto error = run_passes(*staged, add_staged, print))
        return error;
    if (is_better(*staged, module, machine, limit)) {
        module.getBodyRegion().takeBody(staged->getBodyRegion());
        module->setAttrs((*staged)->getAttrDictionary());
    }
    return std::nullopt;
}

namespace {

/// An estimate of the work of scheduling, from measurements: each step of a reshard counts as two operations, and an
/// exchange, which leads to more classes of ranks, as four.
double work_of(const plan::Plan &plan, const sharding::Graph &graph) {
    double work = 0.5 * static_cast<double>(graph.operations.size());
    const auto add = [&work](const std::vector<cost::CollectiveRow> &rows) {
        for (const cost::CollectiveRow &row : rows)
            work += row.kind == cost::CollectiveKind::exchange ? 2 : 1;
    };
    for (const cost::LayerRow &layer : plan.cost->layers)
        add(layer.collectives);
    add(plan.cost->reshards);
    return work;
}

} // namespace

ScheduledModule &module_of(Scheduled &scheduled) {
    return static_cast<ScheduledModule &>(*scheduled.program);
}

/// The schedule of one plan, part by part.
class Scheduler::Job {
  public:
    Job(const Scheduler &scheduler, const plan::Plan &plan, Wanted wanted)
        : scheduler_(&scheduler), plan_(&plan), wanted_(wanted), work_(work_of(plan, scheduler.request_.graph)) {
        made_.program = std::make_unique<ScheduledModule>();
    }

    [[nodiscard]] const plan::Plan &plan() const { return *plan_; }
    [[nodiscard]] bool is_done() const { return parts_done_ == parts; }
    [[nodiscard]] double work_left() const { return work_ * (parts - parts_done_); }

    void run_part() {
        switch (parts_done_++) {
        case 0:
            lay_out();
            break;
        case 1:
            ir().error = scheduler_->schedule(*ir().module);
            if (ir().error.empty())
                made_.memory_bytes = schedule::rank_memory(*ir().module).all;
            break;
        case 2:
            program_ = timeline::read_schedule(*ir().module, scheduler_->request_.machine);
            break;
        default:
            made_.overlap = overlap_of(*program_);
            program_.reset();
        }
        if (!ir().error.empty() || (wanted_ == Wanted::program && parts_done_ == 2))
            parts_done_ = parts;
    }

    Scheduled &made() { return made_; }

  private:
    static constexpr int parts = 4;

    ScheduledModule &ir() { return module_of(made_); }

    void lay_out() {
        ir().module = mlir::ModuleOp(scheduler_->module_).clone();
        set_plan(*ir().module, scheduler_->request_.graph, *plan_);
        if (wanted_ == Wanted::simulated_step)
            ir().evaluation = schedule::take_evaluation(*ir().module);
        if (!lay_out_by(*plan_, scheduler_->request_.machine, *ir().module))
            ir().error = not_laid_out;
    }

    const Scheduler *scheduler_;
    const plan::Plan *plan_;
    Wanted wanted_;
    double work_;
    int parts_done_ = 0;
    std::optional<timeline::Program> program_;
    Scheduled made_;
};

/// Runs jobs in parallel. The job with the most remaining work continues first, so that no long job remains when all
/// others are done.
class Scheduler::SideBySide {
  public:
    SideBySide(const Scheduler &scheduler, std::vector<Job> &jobs, Wanted wanted)
        : scheduler_(scheduler), jobs_(jobs), completes_one_(wanted == Wanted::simulated_step),
          states_(jobs.size(), State::waiting) {}

    /// The loop of each thread: it runs jobs until none waits.
    void run() {
        while (const auto number = next()) {
            jobs_[*number].run_part();
            const std::scoped_lock lock(mutex_);
            states_[*number] = jobs_[*number].is_done() ? State::done : State::waiting;
        }
        if (Job *best = to_complete())
            scheduler_.complete(best->plan(), best->made());
    }

  private:
    enum class State : std::uint8_t { waiting, running, done };

    std::optional<std::size_t> next() {
        const std::scoped_lock lock(mutex_);
        std::optional<std::size_t> most;
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            if (states_[i] == State::waiting && (!most || jobs_[i].work_left() > jobs_[*most].work_left()))
                most = i;
        if (most)
            states_[*most] = State::running;
        return most;
    }

    /// While the last job still runs, returns the fastest of the others, which is likely to be chosen; only once.
    Job *to_complete() {
        const std::scoped_lock lock(mutex_);
        if (!completes_one_ || std::count(states_.begin(), states_.end(), State::running) != 1)
            return nullptr;
        completes_one_ = false;
        Job *best = nullptr;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            const auto &overlap = jobs_[i].made().overlap;
            if (states_[i] == State::done && overlap && (best == nullptr || overlap->step < best->made().overlap->step))
                best = &jobs_[i];
        }
        return best;
    }

    const Scheduler &scheduler_;
    std::vector<Job> &jobs_;
    bool completes_one_;
    std::vector<State> states_;
    std::mutex mutex_;
};

/// The modules of one context may be changed in parallel only after the context was told so. Passes that print take
/// turns.
std::vector<Scheduled> Scheduler::of(const std::vector<const plan::Plan *> &plans, Wanted wanted) const {
    std::vector<Job> jobs;
    for (const plan::Plan *plan : plans)
        jobs.emplace_back(*this, *plan, wanted);
    if (jobs.size() > 1 && !print_) {
        SideBySide all(*this, jobs, wanted);
        mlir::MLIRContext &context = *mlir::ModuleOp(module_).getContext();
        context.enableMultithreading();
        support::in_parallel(jobs.size(), [&](std::size_t) { all.run(); });
        context.disableMultithreading();
    }
    std::vector<Scheduled> made;
    for (Job &job : jobs) {
        while (!job.is_done())
            job.run_part();
        made.push_back(std::move(job.made()));
    }
    return made;
}

void Scheduler::complete(const plan::Plan &plan, Scheduled &scheduled) const {
    ScheduledModule &ir = module_of(scheduled);
    if (!ir.evaluation)
        return;
    schedule::share_variables(*ir.module, *ir.evaluation);
    ir.error =
        lay_out_by(plan, request_.machine, *ir.evaluation) ? run_passes(*ir.evaluation) : std::string(not_laid_out);
    if (ir.error.empty())
        schedule::add_evaluation(*ir.module, std::move(ir.evaluation));
}

std::string Scheduler::schedule(mlir::ModuleOp module) const {
    const std::optional<PassError> error =
        schedule_program(module, request_.machine, request_.memory_limit_bytes, print_);
    return error ? internal_error(*error) : "";
}

std::string Scheduler::run_passes(mlir::ModuleOp module) const {
    const std::optional<PassError> error =
        driver::run_passes(module, [](mlir::OpPassManager &passes) { schedule::add_passes(passes); }, print_);
    return error ? internal_error(*error) : "";
}

} // namespace planc::driver
