#include "run/prediction/sample_inputs.h"

#include "data/data_source.h"
#include "data/formats/readers.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

namespace planrt {

namespace {

std::string absolute(const std::string &path) {
    return std::filesystem::absolute(path).string();
}

} // namespace

SampleInputs::SampleInputs(const Engine &engine, const Options &options)
    : program_(engine.program()), role_(engine.role()),
      fields_(program_.prediction_fields.begin(), program_.prediction_fields.end()), paths_(fields_.size()) {
    vocabulary_ = data_source(program_.data, options.data).path(program_.data.path);
    find_files(options.predict);
    choose_columns();
    stores_.emplace(fields_, engine.role_mesh(), engine.role_rank());
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (std::ranges::find(paths_, paths_[i]) == paths_.begin() + static_cast<std::ptrdiff_t>(i))
            read(paths_[i]);
    count_ = same_samples(program_.data, stores_->all());
    for (const Field &field : fields_)
        rows_.push_back(local_box(placement_of(field.tensor), engine.role_mesh(), engine.role_rank())[0]);
}

Facts SampleInputs::facts() const {
    Facts facts = {{"samples", std::to_string(count_)}};
    const Facts fields = stores_->facts();
    facts.insert(facts.end(), fields.begin(), fields.end());
    return facts;
}

std::vector<NamedFile> SampleInputs::files() const {
    std::vector<NamedFile> files;
    for (const std::string &path : paths_)
        files.push_back({"--predict", path});
    if (program_.data.format == DataFormat::text)
        files.push_back({text("the vocabulary file of data %s", program_.data.name), vocabulary_});
    return files;
}

void SampleInputs::load(std::int64_t first, std::byte *arena) {
    numbers_.resize(static_cast<std::size_t>(batch()));
    for (std::int64_t i = 0; i < batch(); ++i)
        numbers_[static_cast<std::size_t>(i)] = first + i < count_ ? first + i : 0;
    const std::span<const std::int64_t> batch_rows = numbers_;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (fields_[i].role == role_)
            stores_->all()[i].copy(batch_rows.subspan(rows_[i].begin, rows_[i].size()),
                                   arena + fields_[i].tensor.offset);
}

/// `words`: FILE, or NAME=FILE,NAME=FILE.
void SampleInputs::find_files(const std::string &words) {
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
DataSet SampleInputs::set_of(const std::string &path) const {
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
void SampleInputs::choose_columns() {
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
void SampleInputs::read(const std::string &path) {
    const DataSet set = set_of(path);
    const DataSource source{set, "", false};
    std::vector<FieldStore> together;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (paths_[i] == path)
            together.push_back(std::move(stores_->all()[i]));
    SplitColumn none;
    if (set.format == DataFormat::text)
        read_text(source, vocabulary_, together);
    else
        read_samples(source, together, none);
    auto next = together.begin();
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (paths_[i] == path)
            stores_->all()[i] = std::move(*next++);
}

} // namespace planrt
