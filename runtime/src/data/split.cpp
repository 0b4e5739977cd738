#include "data/split.h"

#include "data/formats/readers.h"
#include "random/philox.h"
#include "support/failure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace planrt {

namespace {

/// Fisher and Yates' shuffle in the form of Durstenfeld 1964.
void shuffle(std::vector<std::int64_t> &order, RandomStream stream) {
    for (std::uint64_t last = order.size(); last > 1; --last)
        std::swap(order[last - 1], order[random_below(stream, last, last)]);
}

} // namespace

static Split split_vertices(std::span<const double> parts) {
    Split result;
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
        const auto number = static_cast<std::int64_t>(vertex);
        if (parts[vertex] == train_part)
            result.train.push_back(number);
        else if (parts[vertex] == validation_part)
            result.validation.push_back(number);
        else if (parts[vertex] == test_part)
            result.test.push_back(number);
    }
    return result;
}

Split split_samples(const DataSet &set, std::uint64_t seed, std::int64_t samples, std::span<const double> column) {
    if (set.format == DataFormat::graph)
        return split_vertices(column);
    Split result;
    if (set.split == SplitKind::column || set.split == SplitKind::files) {
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const double value = column[static_cast<std::size_t>(sample)];
            if (value == set.train)
                result.train.push_back(sample);
            else if (value == set.test)
                result.test.push_back(sample);
        }
        return result;
    }
    const double whole = set.split == SplitKind::shares ? static_cast<double>(samples) : 1;
    const double wanted = std::round(set.train * whole);
    double wanted_test = std::round(set.test * whole);
    if (set.split == SplitKind::shares) // both may have been rounded up
        wanted_test = std::min(wanted_test, std::max(static_cast<double>(samples) - wanted, 0.0));
    if (!(wanted + wanted_test <= static_cast<double>(samples)))
        throw Failure(text("data %s: the split wants %.0f + %.0f samples, but there are %lld", set.name, wanted,
                           wanted_test, static_cast<long long>(samples)));
    const auto train = static_cast<std::int64_t>(wanted);
    const auto test = static_cast<std::int64_t>(wanted_test);
    std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random_stream(seed, "split"));
    result.train.assign(order.begin(), order.begin() + train);
    result.test.assign(order.begin() + train, order.begin() + train + test);
    return result;
}

void shuffle_epoch(std::span<const std::int64_t> base, std::uint64_t seed, std::int64_t epoch,
                   std::vector<std::int64_t> &order) {
    order.assign(base.begin(), base.end());
    RandomStream stream = random_stream(seed, "shuffle");
    stream.name += static_cast<std::uint64_t>(epoch);
    shuffle(order, stream);
}

} // namespace planrt
