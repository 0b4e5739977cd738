#include "data/batches.h"

#include "data/formats/readers.h"
#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"

#include <algorithm>

namespace planrt {

Batches::Batches(const Program &program, const Mesh &mesh, int rank, const std::string &directory, std::uint64_t seed,
                 int role)
    : program_(program), role_(role), mesh_(mesh), rank_(rank), seed_(seed), stores_(program, mesh, rank),
      numbers_(program.order), changes_(seed, 0) {
    const DataSet &set = program.data;
    const DataSource source = data_source(set, directory);
    SplitColumn split_column;
    std::int64_t samples = 0;
    try {
        samples = read_samples(source, stores_.all(), split_column);
    } catch (const MissingFile &missing) {
        throw Failure(std::string(missing.what()) + " (--data DIR reads data elsewhere)");
    }
    files_ = files_of(source, stores_.all());
    split_ = split_samples(set, seed, samples, split_column);
    if (!program.hops.empty())
        neighbours_.emplace(program.hops, source, seed);
    if (evaluates_all() && train_samples() == 0)
        throw Failure(
            text("data %s: nothing is to train on: the column of the split has 'train' or 0 there", set.name));
    if (steps_per_epoch() == 0)
        throw Failure(text("data %s: %lld samples to train on are less than one batch of %lld", set.name,
                           static_cast<long long>(train_samples()), static_cast<long long>(program.batch)));
    const auto box = [&](const Field &field) { return local_box(placement_of(field.tensor), mesh, rank); };
    for (const Body &body : program.bodies)
        std::ranges::transform(body.fields, std::back_inserter(train_boxes_.emplace_back()), box);
    for (const Field &field : program.evaluation_fields)
        test_rows_.push_back(box(field)[0]);
    if (!program.valid.empty())
        test_batch_ = program.valid[0].dimensions[0].extent;
    padded_.resize(static_cast<std::size_t>(test_batch_));
    marked_.resize(padded_.size());
    if (evaluates_all()) {
        all_rows_.emplace(numbers_, stores_.all(), samples);
        order_ = all_rows_->vertices();
    }
}

Facts Batches::facts() const {
    Facts facts = {{"samples to train on", std::to_string(train_samples())},
                   {"samples to test", std::to_string(test_samples())}};
    const Facts fields = stores_.facts();
    facts.insert(facts.end(), fields.begin(), fields.end());
    Checksum order;
    for (const std::vector<std::int64_t> *part : {&split_.train, &split_.validation, &split_.test})
        order.add(part->data(), part->size() * sizeof part->front());
    facts.emplace_back("checksum of the split", order.digits());
    return facts;
}

void Batches::begin_epoch(std::int64_t epoch) {
    if (!takes_all())
        shuffle_epoch(split_.train, seed_, epoch, order_);
    changes_ = ImageChanges(seed_, epoch);
    if (neighbours_)
        neighbours_->begin_epoch(epoch);
}

void Batches::load_train(std::int64_t index, int body, const MicroBatch &part, const Context &context) const {
    const std::span<const Field> fields = program_.bodies[body].fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Field &field = fields[i];
        const std::span<const std::int64_t> order = all_rows_ && field.hops < 0 ? all_rows_->of(field) : order_;
        const std::span<const Range> box = train_boxes_[body][i];
        const auto first = static_cast<std::size_t>(index * program_.batch + part.first);
        std::vector<std::int64_t> listed;
        const std::span<const std::int64_t> samples = rows_of(order.subspan(first), box[0], listed);
        const FieldStore *kept = field.entries ? nullptr : &stores_.of_training(body, i);
        auto *to = context.at<std::byte>(field.tensor.offset);
        if (field.hops >= 0) {
            load_trees(field, kept, samples, box, to);
            continue;
        }
        const FieldStore &store = *kept;
        if (is_augmented(field))
            store.copy_changed(samples, changes_, field.augmentation, box.subspan(1), to);
        else
            store.copy(samples, to);
    }
}

void Batches::load_trees(const Field &field, const FieldStore *store, std::span<const std::int64_t> roots,
                         std::span<const Range> box, std::byte *to) const {
    const std::span<const Range> hops = box.subspan(1, static_cast<std::size_t>(field.hops));
    if (store != nullptr && field.factor == nullptr)
        return store->copy(neighbours_->vertices(roots, hops), to);
    if (store != nullptr) {
        for (const std::int64_t vertex : neighbours_->vertices(roots, hops)) {
            store->sum(neighbours_->row(hops.size(), vertex, field.mean), to);
            to += store->sample_bytes();
        }
        return;
    }
    const std::vector<double> values = neighbours_->entries(roots, hops, field.mean);
    if (field.tensor.type == Type::f32)
        std::ranges::transform(values, reinterpret_cast<float *>(to),
                               [](double value) { return static_cast<float>(value); });
    else
        std::ranges::copy(values, reinterpret_cast<double *>(to));
}

void Batches::load_test(std::int64_t index, std::byte *arena) {
    const std::int64_t first = index * test_batch_;
    const std::int64_t samples = std::min(test_batch_, test_samples() - first);
    if (evaluates_all())
        mark(split_.test);
    for (std::int64_t i = 0; i < test_batch_ && !evaluates_all(); ++i) {
        marked_[i] = i < samples;
        padded_[i] = split_.test[i < samples ? first + i : 0];
    }
    load_evaluation(arena);
}

void Batches::load_validation(std::byte *arena) {
    mark(split_.validation);
    load_evaluation(arena);
}

void Batches::mark(std::span<const std::int64_t> part) {
    std::vector<bool> counts(marked_.size(), false); // by number in the file
    for (const std::int64_t vertex : part)
        counts[vertex] = true;
    for (std::size_t i = 0; i < marked_.size(); ++i)
        marked_[i] = counts[all_rows_->vertices()[i]];
}

void Batches::load_evaluation(std::byte *arena) {
    for (std::size_t i = 0; i < program_.evaluation_fields.size(); ++i) {
        const Field &field = program_.evaluation_fields[i];
        if (field.role != role_)
            continue;
        const FieldStore &store = stores_.of_evaluation(i);
        std::vector<std::int64_t> listed;
        if (all_rows_)
            all_rows_->load(field, store, test_rows_[i], arena);
        else
            store.copy(rows_of(padded_, test_rows_[i], listed), arena + field.tensor.offset);
    }
    if (role_ == program_.evaluation_role)
        for (const Tensor &valid : program_.valid)
            fill_valid(valid, arena);
}

void Batches::fill_valid(const Tensor &valid, std::byte *arena) const {
    const Range rows = local_box(placement_of(valid), mesh_, rank_)[0];
    const auto fill = [&](auto *values) {
        for (std::int64_t i = 0; i < rows.size(); ++i)
            *values++ = marked_[rows.index(i)] ? 1 : 0;
    };
    std::byte *values = arena + valid.offset;
    switch (valid.type) {
    case Type::f32:
        return fill(reinterpret_cast<float *>(values));
    case Type::f64:
        return fill(reinterpret_cast<double *>(values));
    case Type::i32:
        return fill(reinterpret_cast<std::int32_t *>(values));
    }
}

} // namespace planrt
