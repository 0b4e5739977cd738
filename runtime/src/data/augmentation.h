// Flips and crops of images in training (He et al. 2016, "Deep residual learning", section 4.2). The seed, the epoch
// and the sample's number in the data set determine them, so that they are the same on every rank, under every layout,
// and after --resume.
#pragma once

#include "random/philox.h"

#include <planrt/planrt.h>

namespace planrt {

/// Whether samples of the field are augmented.
[[nodiscard]] inline bool is_augmented(const Field &field) {
    return field.augmentation.flip || field.augmentation.padding > 0;
}

/// Place (y, x) of the changed image is place (y + down, x + right) of the image, which is mirrored first if `flip`.
/// Places outside are padding.
struct ImageChange {
    bool flip = false;
    std::int64_t down = 0;
    std::int64_t right = 0;
};

/// The changes of the samples in one epoch. All fields of a sample draw the same numbers.
class ImageChanges {
  public:
    ImageChanges(std::uint64_t seed, std::int64_t epoch);
    [[nodiscard]] ImageChange of(std::int64_t sample, const Augmentation &augmentation) const;

  private:
    RandomStream stream_;
};

} // namespace planrt
