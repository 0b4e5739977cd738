#include "run/prediction.h"

#include "checkpoint/checkpoint.h"
#include "checkpoint/gather.h"
#include "data/formats/readers.h"
#include "data/prediction_file.h"
#include "mesh/tensors.h"
#include "run/outputs.h"
#include "run/training/checkpoints.h"
#include "support/agreement.h"
#include "support/failure.h"
#include "support/heap.h"
#include "support/printable.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace planrt {

namespace {

/// The samples of --predict. A file has the format of the training data unless its name says otherwise (.csv, .npy). If
/// the inputs of a network are not columns of one file, they are given as NAME=FILE,NAME=FILE; each file has its own
/// format.
class Samples {
  public:
    Samples(const Engine &engine, const Options &options)
        : program_(engine.program()), role_(engine.role()),
          fields_(program_.prediction_fields.begin(), program_.prediction_fields.end()), paths_(fields_.size()) {
        vocabulary_ = vocabulary_path(options);
        find_files(options.predict);
        choose_columns();
        stores_.emplace(fields_, engine.role_mesh(), engine.role_rank());
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (std::ranges::find(paths_, paths_[i]) == paths_.begin() + static_cast<std::ptrdiff_t>(i))
                read(paths_[i], vocabulary_);
        count_ = same_samples(program_.data, stores_->all());
        for (const Field &field : fields_)
            rows_.push_back(local_box(placement_of(field.tensor), engine.role_mesh(), engine.role_rank())[0]);
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// As Batches::facts and files.
    [[nodiscard]] Facts facts() const {
        Facts facts = {{"samples", std::to_string(count_)}};
        const Facts fields = stores_->facts();
        facts.insert(facts.end(), fields.begin(), fields.end());
        return facts;
    }
    [[nodiscard]] const std::vector<std::string> &files() const { return paths_; }
    /// The file of the training data. The numbers of a text's characters come from this file.
    [[nodiscard]] const std::string &vocabulary() const { return vocabulary_; }
    [[nodiscard]] std::int64_t batch() const { return fields_[0].tensor.dimensions[0].extent; }

    /// Loads the samples from `first` on into the inputs, and sample 0 in place of samples after the last one.
    void load(std::int64_t first, std::byte *arena) {
        numbers_.resize(static_cast<std::size_t>(batch()));
        for (std::int64_t i = 0; i < batch(); ++i)
            numbers_[static_cast<std::size_t>(i)] = first + i < count_ ? first + i : 0;
        const std::span<const std::int64_t> batch_rows = numbers_;
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (fields_[i].role == role_)
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
            if (field == fields_.end() || equals + 1 >= word.size())
                throw Failure("option --predict: expected NAME=FILE for the inputs of network " +
                              std::string(program_.name) + ", got '" + word + "'");
            if (!paths_[static_cast<std::size_t>(field - fields_.begin())].empty())
                throw Failure(text("option --predict: %s is given twice", field->name));
            for (std::size_t i = 0; i < fields_.size(); ++i) // a field in two layouts is there twice
                if (std::string_view(fields_[i].name) == field->name)
                    paths_[i] = absolute(word.substr(equals + 1));
            begin = end + 1;
        }
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (paths_[i].empty())
                throw Failure(text("option --predict: expected %s=FILE too", fields_[i].name));
    }

    /// The description of a file for the readers.
    [[nodiscard]] DataSet set_of(const std::string &path) const {
        DataSet set = program_.data;
        if (path.ends_with(".npy"))
            set.format = DataFormat::npy;
        else if (path.ends_with(".csv"))
            set.format = DataFormat::csv;
        else if (set.format == DataFormat::synthetic)
            throw Failure("option --predict: expected a file named .npy or .csv, for the training data is synthetic");
        set.split = SplitKind::shares;
        set.path = path.c_str();
        return set;
    }

    /// Chooses the columns of inputs if the data set does not declare any: the inputs of a file follow one another.
    void choose_columns() {
        std::map<std::string, int> next;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            fields_[i].file = paths_[i].c_str();
            const DataFormat format = set_of(paths_[i]).format;
            int &column = next[paths_[i]];
            const bool one_each = format == DataFormat::npy || format == DataFormat::idx;
            if (one_each && column > 0)
                throw Failure("option --predict: expected NAME=FILE,NAME=FILE, a file for each input");
            std::int64_t columns = 1;
            for (const Dimension &dimension : fields_[i].tensor.dimensions.subspan(1))
                columns *= dimension.extent;
            if (columns > std::numeric_limits<int>::max() - column)
                throw Failure(text("option --predict: %s has more columns than can be counted", fields_[i].name));
            const int first = std::exchange(column, column + static_cast<int>(columns));
            if (program_.data.format == DataFormat::csv)
                continue;
            fields_[i].first_column = first;
            fields_[i].last_column = column;
        }
    }

    /// Reads all inputs that lie in the file.
    void read(const std::string &path, const std::string &vocabulary) {
        const DataSet set = set_of(path);
        const DataSource source{set, "", false};
        std::vector<FieldStore> together;
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (paths_[i] == path)
                together.push_back(std::move(stores_->all()[i]));
        SplitColumn none;
        if (set.format == DataFormat::text)
            read_text(source, vocabulary, together);
        else
            read_samples(source, together, none);
        auto next = together.begin();
        for (std::size_t i = 0; i < fields_.size(); ++i)
            if (paths_[i] == path)
                stores_->all()[i] = std::move(*next++);
    }

    [[nodiscard]] std::string vocabulary_path(const Options &options) const {
        const DataSet &set = program_.data;
        return DataSource{set, options.data.empty() ? set.directory : options.data, !options.data.empty()}.path(
            set.path);
    }

    static std::string absolute(const std::string &path) { return std::filesystem::absolute(path).string(); }

    const Program &program_;
    int role_;
    std::vector<Field> fields_;
    std::vector<std::string> paths_; ///< per field
    std::string vocabulary_;
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
    agree_on_weights(path);
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
        engine.run_evaluation(program.predict_step);
        gather(program.prediction, role_of(program, program.prediction_role), engine.mesh(), engine.rank(),
               engine.arena(), whole, "prediction");
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
        throw CommonFailure(program.data.format == DataFormat::graph
                                ? text("network %s is trained on a graph, whose vertices are all there is to predict: "
                                       "--predict has no samples",
                                       program.name)
                                : text("network %s has no batch dimension: --predict has no samples", program.name),
                            exit_usage);
    std::optional<Samples> samples;
    together([&] {
        if (engine.rank() == 0)
            check_writable(options.output);
        samples.emplace(engine, options);
    });
    agree(samples->facts(), "the ranks have read different data", exit_failure);
    together(
        [&] {
            std::vector<NamedFile> inputs = {{"--init", options.init}};
            for (const std::string &file : samples->files())
                inputs.push_back({"--predict", file});
            if (program.data.format == DataFormat::text)
                inputs.push_back({text("the vocabulary file of data %s", program.data.name), samples->vocabulary()});
            check_outputs_differ(options, std::move(inputs));
        },
        exit_usage);
    load_variables(engine, options);
    keep_freed_memory();
    const double begin = MPI_Wtime();
    try {
        run_batches(engine, *samples, options.output);
    } catch (const std::exception &failure) {
        abort_all_ranks(failure.what()); // before anything is taken down: communication may be under way
    }
    if (engine.rank() == 0 && !options.quiet)
        std::printf("%lld predictions in %s after %.2f s\n", static_cast<long long>(samples->count()),
                    printable(options.output).c_str(), MPI_Wtime() - begin);
    return 0;
}

} // namespace planrt
