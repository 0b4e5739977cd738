#include "run/prediction.h"

#include "checkpoint/checkpoint.h"
#include "checkpoint/gather.h"
#include "data/prediction_file.h"
#include "data/readers.h"
#include "mesh/tensors.h"
#include "run/checkpoints.h"
#include "support/failure.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

namespace planrt {

namespace {

/// The samples of --predict: a file in the format of the training data, or one that its name tells (.csv, .npy). Of a
/// network with several inputs those that are not columns of one file: NAME=FILE,NAME=FILE.
class Samples {
  public:
    Samples(const Engine &engine, const Options &options)
        : program_(engine.program()), set_(program_.data),
          fields_(program_.prediction_fields.begin(), program_.prediction_fields.end()), paths_(fields_.size()) {
        find_files(options.predict);
        choose_format();
        stores_.emplace(fields_, engine.mesh(), engine.rank());
        const DataSource source{set_, "", false};
        SplitColumn none;
        if (set_.format == DataFormat::text)
            read_text(source, vocabulary_path(options), stores_->all());
        else
            read_samples(source, stores_->all(), none);
        count_ = same_samples(set_, stores_->all());
        for (const Field &field : fields_)
            rows_.push_back(local_box(placement_of(field.tensor), engine.mesh(), engine.rank())[0]);
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::int64_t batch() const { return fields_[0].tensor.dimensions[0].extent; }

    /// The samples from `first` on into the inputs; behind the last one the first again.
    void load(std::int64_t first, std::byte *arena) {
        numbers_.resize(static_cast<std::size_t>(batch()));
        for (std::int64_t i = 0; i < batch(); ++i)
            numbers_[static_cast<std::size_t>(i)] = first + i < count_ ? first + i : 0;
        const std::span<const std::int64_t> batch_rows = numbers_;
        for (std::size_t i = 0; i < fields_.size(); ++i)
            stores_->all()[i].copy(batch_rows.subspan(rows_[i].begin, rows_[i].size()),
                                   arena + fields_[i].tensor.offset);
    }

  private:
    /// `words`: FILE, or NAME=FILE,NAME=FILE.
    void find_files(const std::string &words) {
        if (words.find('=') == std::string::npos) {
            std::ranges::fill(paths_, absolute(words));
            return;
        }
        for (std::size_t begin = 0; begin <= words.size();) {
            const std::size_t end = std::min(words.find(',', begin), words.size());
            const std::string word = words.substr(begin, end - begin);
            const std::size_t equals = std::min(word.find('='), word.size());
            const auto field = std::ranges::find(fields_, word.substr(0, equals), &Field::name);
            if (field == fields_.end() || equals == word.size())
                throw Failure("option --predict: expected NAME=FILE for the inputs of network " +
                              std::string(program_.name) + ", got '" + word + "'");
            paths_[static_cast<std::size_t>(field - fields_.begin())] = absolute(word.substr(equals + 1));
            begin = end + 1;
        }
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (paths_[i].empty())
                throw Failure(text("option --predict: expected %s=FILE too", fields_[i].name));
    }

    void choose_format() {
        const bool columns_declared = set_.format == DataFormat::csv;
        if (paths_[0].ends_with(".npy"))
            set_.format = DataFormat::npy;
        else if (paths_[0].ends_with(".csv"))
            set_.format = DataFormat::csv;
        else if (set_.format == DataFormat::synthetic)
            throw Failure("option --predict: expected a file named .npy or .csv, for the training data is synthetic");
        set_.split = SplitKind::shares;
        set_.path = paths_[0].c_str();
        int column = 0;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            fields_[i].file = paths_[i].c_str();
            if (columns_declared)
                continue;
            std::int64_t columns = 1;
            for (const Dimension &dimension : fields_[i].tensor.dimensions.subspan(1))
                columns *= dimension.extent;
            fields_[i].first_column = column; // one input behind the other
            fields_[i].last_column = column += static_cast<int>(columns);
        }
        const bool one_each = set_.format == DataFormat::npy || set_.format == DataFormat::idx;
        if (one_each && fields_.size() > 1 && paths_[0] == paths_[1])
            throw Failure("option --predict: expected NAME=FILE,NAME=FILE, a file for each input");
    }

    [[nodiscard]] std::string vocabulary_path(const Options &options) const {
        const DataSet &set = program_.data;
        return DataSource{set, options.data.empty() ? set.directory : options.data, !options.data.empty()}.path(
            set.path);
    }

    static std::string absolute(const std::string &path) { return std::filesystem::absolute(path).string(); }

    const Program &program_;
    DataSet set_;
    std::vector<Field> fields_;
    std::vector<std::string> paths_; ///< per field
    std::optional<Stores> stores_;
    std::int64_t count_ = 0;
    std::vector<Range> rows_; ///< per field, this rank's part of the batch
    std::vector<std::int64_t> numbers_;
};

void load_variables(Engine &engine, const Options &options) {
    const Program &program = engine.program();
    std::string path = options.init;
    if (options.resume) {
        path = newest_checkpoint(options.resume_directory(), engine.rank());
        if (path.empty())
            throw CommonFailure(options.resume_directory() + ": holds no checkpoint", exit_failure);
    }
    together([&] { load_weights(program, engine.mesh(), engine.rank(), engine.arena(), path); });
    if (program.set_up != nullptr)
        program.set_up(engine.context());
}

/// Runs the network batch by batch; rank 0 writes.
void run_batches(Engine &engine, Samples &samples, const std::string &output) {
    const Program &program = engine.program();
    std::optional<PredictionFile> file;
    if (engine.rank() == 0)
        file.emplace(output, program.prediction, samples.count());
    std::vector<std::byte> whole;
    for (std::int64_t first = 0; first < samples.count(); first += samples.batch()) {
        samples.load(first, engine.arena());
        engine.run_step(program.predict_step, /*training=*/false);
        gather(program.prediction, engine.mesh(), engine.rank(), engine.arena(), whole, "prediction");
        if (file)
            file->append(whole.data(), std::min(samples.batch(), samples.count() - first));
    }
    if (file)
        file->commit();
}

} // namespace

int predict(Engine &engine, const Options &options) {
    const Program &program = engine.program();
    if (program.predict_step == nullptr)
        throw CommonFailure(text("network %s has no batch dimension: --predict has no samples", program.name),
                            exit_usage);
    std::optional<Samples> samples;
    together([&] {
        if (engine.rank() == 0)
            check_writable(options.output);
        samples.emplace(engine, options);
    });
    load_variables(engine, options);
    const double begin = MPI_Wtime();
    try {
        run_batches(engine, *samples, options.output);
    } catch (const std::exception &failure) {
        abort_all_ranks(failure.what()); // before anything is taken down: communication may be under way
    }
    if (engine.rank() == 0 && !options.quiet)
        std::printf("%lld predictions in %s after %.2f s\n", static_cast<long long>(samples->count()),
                    options.output.c_str(), MPI_Wtime() - begin);
    return 0;
}

} // namespace planrt
