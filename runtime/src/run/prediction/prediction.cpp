#include "run/prediction/prediction.h"

#include "checkpoint/checkpoint.h"
#include "checkpoint/gather.h"
#include "data/prediction_file.h"
#include "mesh/file_numbers.h"
#include "mesh/tensors.h"
#include "run/outputs.h"
#include "run/prediction/graph_inputs.h"
#include "run/prediction/sample_inputs.h"
#include "run/training/checkpoints.h"
#include "support/agreement.h"
#include "support/failure.h"
#include "support/heap.h"
#include "support/printable.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

namespace planrt {

namespace {

void load_variables(Engine &engine, const Options &options) {
    const Program &program = engine.program();
    std::string path = options.init;
    if (options.resume) {
        path = newest_checkpoint(options.resume_directory(), engine.rank());
        if (path.empty())
            throw CommonFailure(options.resume_directory() + ": holds no checkpoint", exit_failure);
    }
    agree_on_weights(path);
    together([&] { load_weights(program, engine.mesh(), engine.rank(), engine.arena(), path); });
    if (program.set_up != nullptr)
        program.set_up(engine.context());
}

/// Runs the network batch by batch; rank 0 writes.
void run_batches(Engine &engine, PredictionInputs &samples, const std::string &output) {
    const Program &program = engine.program();
    std::optional<PredictionFile> file;
    if (engine.rank() == 0)
        file.emplace(output, program.prediction, samples.count());
    const FileNumbers numbers(program.order);
    std::vector<std::byte> whole;
    for (std::int64_t first = 0; first < samples.count(); first += samples.batch()) {
        samples.load(first, engine.arena());
        engine.run_evaluation(program.predict_step, first);
        gather(program.prediction, role_of(program, program.prediction_role), numbers, engine.mesh(), engine.rank(),
               engine.arena(), whole, "prediction");
        if (file)
            file->append(whole.data(), std::min(samples.batch(), samples.count() - first));
    }
    if (file)
        file->commit();
}

std::unique_ptr<PredictionInputs> read_inputs(Engine &engine, const Options &options) {
    if (engine.program().data.format == DataFormat::graph)
        return std::make_unique<GraphInputs>(engine, options);
    return std::make_unique<SampleInputs>(engine, options);
}

} // namespace

int predict(Engine &engine, const Options &options) {
    const Program &program = engine.program();
    if (program.predict_step == nullptr)
        throw CommonFailure(text(program.data.format == DataFormat::graph
                                     ? "the result of network %s has no dimension: --predict has no rows to write"
                                     : "network %s has no batch dimension: --predict has no samples",
                                 program.name),
                            exit_usage);
    std::unique_ptr<PredictionInputs> inputs;
    together([&] {
        if (engine.rank() == 0)
            check_writable(options.output);
        inputs = read_inputs(engine, options);
    });
    agree(inputs->facts(), "the ranks have read different data", exit_failure);
    together(
        [&] {
            std::vector<NamedFile> files = inputs->files();
            files.push_back({"--init", options.init});
            check_outputs_differ(options, std::move(files));
        },
        exit_usage);
    load_variables(engine, options);
    keep_freed_memory();
    const double begin = MPI_Wtime();
    try {
        run_batches(engine, *inputs, options.output);
    } catch (const std::exception &failure) {
        abort_all_ranks(failure.what()); // before anything is taken down: communication may be under way
    }
    if (engine.rank() == 0 && !options.quiet)
        std::printf("%lld predictions in %s after %.2f s\n", static_cast<long long>(inputs->count()),
                    printable(options.output).c_str(), MPI_Wtime() - begin);
    return 0;
}

} // namespace planrt
