// Random samples of the right shapes, for benchmarks: the same numbers under every layout.
#include "data/formats/readers.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

SampleDrawer::SampleDrawer(std::uint64_t seed, std::string_view name, const Field &field, std::int64_t elements)
    : stream_(random_stream(seed, name)), values_(static_cast<std::size_t>(elements)) {
    constexpr std::int64_t fewest_classes = 2;
    classes_ = field.tensor.type != Type::i32
                   ? 0
                   : static_cast<std::uint64_t>(field.classes > 0 ? field.classes : fewest_classes);
}

const std::vector<double> &SampleDrawer::sample(std::int64_t number) {
    const std::uint64_t first = static_cast<std::uint64_t>(number) * values_.size();
    if (classes_ == 0)
        fill_normal(stream_, first, 0, 1, values_.data(), values_.size());
    else
        for (std::size_t i = 0; i < values_.size(); ++i)
            values_[i] = static_cast<double>(random_below(stream_, first + i, classes_));
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
