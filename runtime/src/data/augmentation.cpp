#include "data/augmentation.h"

#include "data/store.h"

#include <algorithm>

namespace planrt {

ImageChanges::ImageChanges(std::uint64_t seed, std::int64_t epoch) : stream_(random_stream(seed, "augmentation")) {
    stream_.name += static_cast<std::uint64_t>(epoch);
}

ImageChange ImageChanges::of(std::int64_t sample, const Augmentation &augmentation) const {
    const auto draw = [&](std::uint64_t number, int places) {
        const std::uint64_t index = 3 * static_cast<std::uint64_t>(sample) + number;
        return static_cast<std::int64_t>(random_below(stream_, index, static_cast<std::uint64_t>(places)));
    };
    const int moves = 2 * augmentation.padding + 1;
    return {augmentation.flip && draw(0, 2) == 1, draw(1, moves) - augmentation.padding,
            draw(2, moves) - augmentation.padding};
}

namespace {

/// The rows and columns that a rank needs of an image of `height` × `width` places.
struct Cut {
    std::int64_t height;
    std::int64_t width;
    Range rows;
    Range columns;
};

/// `copy(place, to)` writes the channels of one place of the raw image and returns where the next place goes;
/// `pad(count, to)` does the same for places outside.
template <class Word, class Copy, class Pad>
Word *cut_image(const Cut &cut, const ImageChange &change, Word *to, Copy copy, Pad pad) {
    const std::int64_t columns = cut.columns.size();
    const std::int64_t begin = cut.columns.begin + change.right; // of the mirrored image
    const std::int64_t left = std::clamp<std::int64_t>(-begin, 0, columns);
    const std::int64_t right = std::clamp<std::int64_t>(begin + columns - cut.width, 0, columns - left);
    for (std::int64_t row = cut.rows.begin + change.down; row < cut.rows.end + change.down; ++row) {
        if (row < 0 || row >= cut.height) {
            to = pad(columns, to);
            continue;
        }
        to = pad(left, to);
        const std::int64_t first = row * cut.width;
        if (change.flip)
            for (std::int64_t x = begin + left; x < begin + columns - right; ++x)
                to = copy(first + cut.width - 1 - x, to);
        else
            for (std::int64_t x = begin + left; x < begin + columns - right; ++x)
                to = copy(first + x, to);
        to = pad(right, to);
    }
    return to;
}

} // namespace

template <class Word>
void FieldStore::change_and_copy(std::span<const std::int64_t> rows, const ImageChanges &changes,
                                 const Augmentation &augmentation, std::span<const Range> box, Word *to) const {
    const Cut cut{kept_[0].size(), kept_[1].size(), box[0], box[1]};
    const std::int64_t channels = kept_.size() > 2 ? kept_[2].size() : 1;
    const auto *outside = reinterpret_cast<const Word *>(outside_.data());
    const auto pad = [&](std::int64_t count, Word *at) {
        for (std::int64_t i = 0; i < count; ++i)
            at = std::copy_n(outside, channels, at);
        return at;
    };
    for (const std::int64_t row : rows) {
        const ImageChange change = changes.of(row, augmentation);
        if (complaint_.empty()) {
            const auto *image = reinterpret_cast<const Word *>(values_.data()) + row * kept_elements_;
            to = cut_image(
                cut, change, to,
                [&](std::int64_t place, Word *at) { return std::copy_n(image + place * channels, channels, at); }, pad);
            continue;
        }
        const unsigned char *image = bytes_.data() + row * kept_elements_;
        const auto *table = reinterpret_cast<const Word *>(table_.data());
        const auto look_up_place = [&, next_table = tables_ == 1 ? 0 : 256](std::int64_t place, Word *at) {
            for (std::int64_t channel = 0; channel < channels; ++channel)
                at[channel] = table[next_table * channel + image[place * channels + channel]];
            return at + channels;
        };
        to = cut_image(cut, change, to, look_up_place, pad);
    }
}

void FieldStore::copy_changed(std::span<const std::int64_t> rows, const ImageChanges &changes,
                              const Augmentation &augmentation, std::span<const Range> box, std::byte *to) const {
    if (element_bytes_ == sizeof(std::uint64_t))
        change_and_copy(rows, changes, augmentation, box, reinterpret_cast<std::uint64_t *>(to));
    else
        change_and_copy(rows, changes, augmentation, box, reinterpret_cast<std::uint32_t *>(to));
}

} // namespace planrt
