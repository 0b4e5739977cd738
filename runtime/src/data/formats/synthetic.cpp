// Random samples of the right shapes, for benchmarks: the same numbers under every layout.
#include "data/formats/readers.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

SampleDrawer::SampleDrawer(std::uint64_t seed, std::string_view name, const Field &field, std::int64_t elements)
    : stream_(random_stream(seed, name)), drawn_(field.drawn), values_(static_cast<std::size_t>(elements)) {
    constexpr std::int64_t fewest_classes = 2;
    if (drawn_.kind == Draw::automatic && field.tensor.type == Type::i32)
        drawn_ = {Draw::tokens, static_cast<double>(field.classes.count > 0 ? field.classes.count : fewest_classes)};
}

const std::vector<double> &SampleDrawer::sample(std::int64_t number) {
    const std::uint64_t first = static_cast<std::uint64_t>(number) * values_.size();
    switch (drawn_.kind) {
    case Draw::automatic:
    case Draw::normal:
        fill_normal(stream_, first, 0, 1, values_.data(), values_.size());
        break;
    case Draw::uniform:
    case Draw::bernoulli:
        fill_uniform(stream_, first, 0, 1, values_.data(), values_.size());
        break;
    case Draw::tokens:
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] =
                static_cast<double>(random_below(stream_, first + i, static_cast<std::uint64_t>(drawn_.parameter)));
    }
    if (drawn_.kind == Draw::bernoulli)
        for (double &value : values_)
            value = value < drawn_.parameter ? 1 : 0;
    return values_;
}

void make_synthetic(const DataSource &source, std::vector<FieldStore> &stores) {
    for (FieldStore &store : stores) {
        const Field &field = store.field();
        SampleDrawer drawer(source.set.seed, field.name, field, store.sample_elements());
        std::string reason;
        store.reserve(source.set.samples);
        for (std::int64_t row = 0; row < source.set.samples; ++row)
            if (!store.append(drawer.sample(row).data(), reason))
                throw Failure(text("synthetic %s: ", field.name) + reason);
    }
}

} // namespace planrt
