#include <planrt/simulate.h>

#include "count/step_clock.h"
#include "data/matrix_files.h"
#include "mesh/tensors.h"
#include "run/engine/engine.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/json.h"

#include <simgrid/actor.h>
#include <simgrid/barrier.h>

#include <cstdlib>

namespace planrt {

namespace {

/// What modelled() needs to know about a rank.
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

/// All ranks continue at the same moment, that of the last one.
void meet() {
    static sg_bar_t all = nullptr;
    if (all == nullptr) {
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        all = sg_barrier_init(static_cast<unsigned>(ranks));
    }
    sg_barrier_wait(all);
}

/// For each number, the largest of all ranks; only rank 0 gets it.
std::vector<double> largest(const std::vector<double> &own) {
    std::vector<double> result(own.size());
    check_mpi(
        MPI_Reduce(own.data(), result.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD),
        "report of times");
    return result;
}

/// Training steps of one rank. Times are medians over them, s.
class Simulation {
  public:
    Simulation(Engine &engine, int steps)
        : engine_(engine), program_(engine.program()), steps_(steps), rows_(static_cast<int>(program_.work.size())) {}

    /// Each collective by itself, until its last rank has its result.
    std::vector<double> collectives() {
        engine_.set_alone(meet);
        modelled_rank(engine_.rank()).computes = false;
        const StepClock clock = run();
        engine_.set_alone(nullptr);
        return largest(accounts(clock, clock.first_collective(), clock.accounts()));
    }

    struct Step {
        double seconds = 0;
        std::vector<double> work; ///< rows of Program::work; each of the rank that it takes longest
    };
    /// The step as scheduled.
    Step step() {
        modelled_rank(engine_.rank()).computes = true;
        const StepClock clock = run();
        return {largest({clock.median(0, clock.accounts())}).front(),
                largest(accounts(clock, clock.first_work(), clock.first_collective()))};
    }

  private:
    StepClock run() {
        StepClock clock(rows_, program_.training_collectives, steps_, MPI_Wtime);
        engine_.set_clock(&clock);
        for (int step = 0; step < steps_; ++step) {
            meet();
            clock.begin_step();
            engine_.run_training_step({});
            clock.end_step();
        }
        engine_.set_clock(nullptr);
        return clock;
    }

    static std::vector<double> accounts(const StepClock &clock, int begin, int end) {
        std::vector<double> result;
        for (int account = begin; account < end; ++account)
            result.push_back(clock.median(account, account + 1));
        return result;
    }

    Engine &engine_;
    const Program &program_;
    int steps_;
    int rows_;
};

std::string json(const Program &program, const std::vector<double> &collectives, const Simulation::Step &step) {
    std::string result = "{\"work\": [";
    for (std::size_t row = 0; row < program.work.size(); ++row)
        result += text("%s\n  {\"layer\": %s, \"seconds\": %.9g}", row == 0 ? "" : ",",
                       json_quoted(program.work[row].layer).c_str(), step.work[row]);
    result += "],\n \"collectives\": [";
    for (std::size_t index = 0; index < collectives.size(); ++index) {
        const Collective &collective = program.collectives[index];
        const TrafficRow &row = program.traffic[static_cast<std::size_t>(collective.row)];
        result += text("%s\n  {\"kind\": \"%s\", \"layer\": %s, \"phase\": %s, \"tensor\": %s, \"predicted\": %.9g, "
                       "\"simulated\": %.9g}",
                       index == 0 ? "" : ",", name_of(collective.kind), json_quoted(row.layer).c_str(),
                       json_quoted(row.phase).c_str(), json_quoted(row.tensor).c_str(), collective.seconds,
                       collectives[index]);
    }
    return result + text("],\n \"step\": %.9g}\n", step.seconds);
}

/// The arguments of the program.
struct Request {
    const char *file;
    int steps;
    std::string data; ///< the directory of the data; empty: that of the .plan file
};

void simulate_rank(const Program &program, const ModelledKernels &kernels, int rank, const Request &request) {
    number_matrices(program, data_source(program.data, request.data)); // the first rank, for all in this process
    const bool one_class = kernels.class_of_rank.empty();
    modelled_rank(rank) = {&kernels, one_class ? 0 : kernels.class_of_rank[static_cast<std::size_t>(rank)], false};
    counters().reset(static_cast<int>(program.collectives.size()));
    Engine engine(program, rank, /*watchdog_seconds=*/0, /*measured=*/false);
    engine.make_collectives(static_cast<std::size_t>(program.training_collectives));
    Simulation simulation(engine, request.steps);
    // Collectives by themselves begin when all ranks meet; ranks of several roles do not.
    const std::vector<double> collectives = program.roles.size() > 1 ? std::vector<double>() : simulation.collectives();
    const Simulation::Step step = simulation.step();
    if (rank != 0)
        return;
    AtomicFile results(request.file);
    results.write(json(program, collectives, step));
    results.commit();
}

} // namespace

void modelled(Context &context, int index) {
    const ModelledRank &rank = modelled_ranks()[static_cast<std::size_t>(context.rank())];
    if (rank.computes)
        sg_actor_sleep_for(
            rank.kernels->seconds[static_cast<std::size_t>(index * rank.kernels->classes + rank.of_class)]);
}

void modelled_pieces(Context &context, int collective, std::initializer_list<int> kernels) {
    for (int piece = 0; piece < context.pieces(collective); ++piece) {
        static_cast<void>(context.piece<std::byte>(collective, piece));
        for (const int kernel : kernels)
            modelled(context, kernel);
    }
}

int simulate(const Program &program, const ModelledKernels &kernels, int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int exit_code = 0;
    const Request request{argv[1], argc >= 3 ? std::atoi(argv[2]) : 0, argc == 4 ? argv[3] : ""};
    if (argc > 4 || request.steps < 1 || ranks != mesh_of(program).ranks()) {
        if (rank == 0)
            say_error(text("usage: smpirun -np %d … PROGRAM FILE STEPS [DATA]", mesh_of(program).ranks()));
        exit_code = exit_usage;
    } else {
        try {
            simulate_rank(program, kernels, rank, request);
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
