// Random samples of the right shapes, for benchmarks: the same numbers under every layout.
#include "data/formats/readers.h"

#include "random/philox.h"
#include "support/failure.h"

namespace planrt {

void make_synthetic(const DataSource &source, std::vector<FieldStore> &stores) {
    for (FieldStore &store : stores) {
        const Field &field = store.field();
        const RandomStream stream = random_stream(source.set.seed, field.name);
        const auto elements = static_cast<std::uint64_t>(store.sample_elements());
        std::vector<double> sample(elements);
        std::string reason;
        store.reserve(source.set.samples);
        for (std::int64_t row = 0; row < source.set.samples; ++row) {
            const std::uint64_t first = static_cast<std::uint64_t>(row) * elements;
            if (field.tensor.type != Type::i32)
                fill_normal(stream, first, 0, 1, sample.data(), elements);
            else
                for (std::uint64_t i = 0; i < elements; ++i)
                    sample[i] = static_cast<double>(random_below(
                        stream, first + i, field.classes > 0 ? static_cast<std::uint64_t>(field.classes) : 2));
            if (!store.append(sample.data(), reason))
                throw Failure(text("synthetic %s: ", field.name) + reason);
        }
    }
}

} // namespace planrt
