#include <planrt/simulate.h>

#include "count/step_clock.h"
#include "mesh/tensors.h"
#include "run/engine.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/json.h"

#include <simgrid/actor.h>

#include <algorithm>
#include <cstdlib>

namespace planrt {

namespace {

/// What modelled() needs to know of a rank.
struct ModelledRank {
    const ModelledKernels *kernels = nullptr;
    int of_class = 0;
    bool computes = false;
};

/// SMPI runs all ranks in one process, one at a time.
std::vector<ModelledRank> &modelled_ranks() {
    static std::vector<ModelledRank> ranks;
    return ranks;
}

ModelledRank &modelled_rank(int rank) {
    std::vector<ModelledRank> &ranks = modelled_ranks();
    if (ranks.size() <= static_cast<std::size_t>(rank))
        ranks.resize(static_cast<std::size_t>(rank) + 1);
    return ranks[static_cast<std::size_t>(rank)];
}

/// All ranks go on at the same moment.
void meet() {
    double now = MPI_Wtime();
    double latest = now;
    check_mpi(MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "begin of a step");
    sg_actor_sleep_until(latest + 1);
}

/// Medians over steps of the rank that takes longest, s.
struct Times {
    int rank = 0;
    std::vector<double> numbers; ///< the step, then its accounts: rest, samples, rows of work, collectives
};

class Simulation {
  public:
    Simulation(Engine &engine, int steps) : engine_(engine), steps_(steps) {}

    /// Rank 0 has the times. `computes`: kernels take theirs; else a step is its collectives, one after the other.
    Times run(bool computes) {
        const Program &program = engine_.program();
        StepClock clock(static_cast<int>(program.work.size()), program.training_collectives, steps_, MPI_Wtime);
        engine_.set_clock(&clock);
        engine_.set_overlap(computes);
        modelled_rank(engine_.rank()).computes = computes;
        meet();
        for (int step = 0; step < steps_; ++step) {
            clock.begin_step();
            for (const MicroBatch &part : program.micro_batches)
                engine_.run_step(part.run, /*training=*/true);
            clock.end_step();
        }
        engine_.set_clock(nullptr);
        return slowest(clock);
    }

  private:
    [[nodiscard]] Times slowest(const StepClock &clock) const {
        std::vector<double> own{clock.median(0, clock.accounts())};
        for (int account = 0; account < clock.accounts(); ++account)
            own.push_back(clock.median(account, account + 1));
        const auto count = static_cast<std::ptrdiff_t>(own.size());
        std::vector<double> all(own.size() *
                                static_cast<std::size_t>(engine_.rank() == 0 ? engine_.mesh().ranks() : 0));
        check_mpi(MPI_Gather(own.data(), static_cast<int>(count), MPI_DOUBLE, all.data(), static_cast<int>(count),
                             MPI_DOUBLE, 0, MPI_COMM_WORLD),
                  "report of times");
        Times result;
        for (std::ptrdiff_t rank = 0; rank * count < static_cast<std::ptrdiff_t>(all.size()); ++rank)
            if (result.numbers.empty() || all[static_cast<std::size_t>(rank * count)] > result.numbers.front()) {
                result.rank = static_cast<int>(rank);
                result.numbers.assign(all.begin() + rank * count, all.begin() + (rank + 1) * count);
            }
        return result;
    }

    Engine &engine_;
    int steps_;
};

/// Work as the whole schedule took it, collectives by themselves.
std::string json(const Program &program, const Times &alone, const Times &whole) {
    std::string result = "{\"work\": [";
    for (std::size_t row = 0; row < program.work.size(); ++row)
        result += text("%s\n  {\"layer\": %s, \"simulated\": %.9g}", row == 0 ? "" : ",",
                       json_quoted(program.work[row].layer).c_str(), whole.numbers[3 + row]);
    result += "],\n \"collectives\": [";
    for (std::size_t index = 0; index < static_cast<std::size_t>(program.training_collectives); ++index) {
        const Collective &collective = program.collectives[index];
        const TrafficRow &row = program.traffic[static_cast<std::size_t>(collective.row)];
        result += text("%s\n  {\"kind\": \"%s\", \"layer\": %s, \"phase\": %s, \"tensor\": %s, \"predicted\": %.9g, "
                       "\"simulated\": %.9g}",
                       index == 0 ? "" : ",", name_of(collective.kind), json_quoted(row.layer).c_str(),
                       json_quoted(row.phase).c_str(), json_quoted(row.tensor).c_str(), collective.seconds,
                       alone.numbers[3 + program.work.size() + index]);
    }
    return result +
           text("],\n \"communication\": %.9g,\n \"step\": %.9g}\n", alone.numbers.front(), whole.numbers.front());
}

void simulate_rank(const Program &program, const ModelledKernels &kernels, int rank, const char *file, int steps) {
    const int classes = static_cast<int>(kernels.class_of_rank.size());
    modelled_rank(rank) = {&kernels, classes == 0 ? 0 : kernels.class_of_rank[static_cast<std::size_t>(rank)], false};
    counters().reset(static_cast<int>(program.collectives.size()));
    Engine engine(program, rank, /*watchdog_seconds=*/0, /*measured=*/false);
    engine.make_collectives(static_cast<std::size_t>(program.training_collectives));
    Simulation simulation(engine, steps);
    const Times alone = simulation.run(/*computes=*/false);
    const Times whole = simulation.run(/*computes=*/true);
    if (rank != 0)
        return;
    AtomicFile results(file);
    results.write(json(program, alone, whole));
    results.commit();
}

} // namespace

void modelled(Context &context, int index) {
    const ModelledRank &rank = modelled_ranks()[static_cast<std::size_t>(context.rank())];
    if (rank.computes)
        sg_actor_sleep_for(
            rank.kernels->seconds[static_cast<std::size_t>(index * rank.kernels->classes + rank.of_class)]);
}

int simulate(const Program &program, const ModelledKernels &kernels, int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int exit_code = 0;
    const int steps = argc == 3 ? std::atoi(argv[2]) : 0;
    if (steps < 1 || ranks != mesh_of(program).ranks()) {
        if (rank == 0)
            say_error(text("usage: smpirun -np %d … PROGRAM FILE STEPS", mesh_of(program).ranks()));
        exit_code = exit_usage;
    } else {
        try {
            simulate_rank(program, kernels, rank, argv[1], steps);
        } catch (const CommonFailure &failure) {
            exit_code = failure.exit_code();
        } catch (const std::exception &failure) {
            abort_all_ranks(failure.what());
        }
    }
    MPI_Finalize();
    return exit_code;
}

} // namespace planrt
