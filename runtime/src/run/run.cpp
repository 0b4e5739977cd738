// run(): from the command line to the exit code.
#include "run/engine/engine.h"
#include "run/options.h"
#include "run/prediction/prediction.h"
#include "run/same_run.h"
#include "run/training/training.h"

#include "data/matrix_files.h"
#include "kernels/libraries/blas.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <cstdio>

namespace planrt {

namespace {

void check_ranks(const Program &program) {
    int started = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &started);
    const int wanted = mesh_of(program).ranks();
    if (started != wanted)
        throw CommonFailure(text("this program was compiled for %d %s (mesh %s); mpirun started %d", wanted,
                                 wanted == 1 ? "rank" : "ranks", describe_mesh(program).c_str(), started),
                            exit_usage);
}

int run_on_this_rank(const Program &program, int argc, char **argv, int rank) {
    Options options;
    together([&] { options = parse_options(argc, argv); }, exit_usage);
    check_same_run(program, options);
    if (options.help) {
        if (rank == 0)
            std::fputs(help_text(program, argv[0]).c_str(), stdout);
        return 0;
    }
    check_ranks(program);
    counters().reset(static_cast<int>(program.collectives.size()));
    together([&] { load_blas(options.threads); });
    const bool predicts_graph = !options.predict.empty() && program.data.format == DataFormat::graph;
    const DataSource source = data_source(program.data, predicts_graph ? options.predict : options.data);
    together([&] { number_matrices(program, source); });
    Engine engine(program, rank, options.watchdog_seconds, /*measured=*/!options.comm_report.empty());
    engine.make_collectives();
    return options.predict.empty() ? Training(engine, options).run() : predict(engine, options);
}

} // namespace

int run(const Program &program, int argc, char **argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return ending([&] { return run_on_this_rank(program, argc, argv, rank); });
}

} // namespace planrt
