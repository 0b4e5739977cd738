// What --predict runs the network on.
#pragma once

#include "run/outputs.h"
#include "support/agreement.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace planrt {

class PredictionInputs {
  public:
    virtual ~PredictionInputs() = default;
    /// The samples that there are, and those that the network takes at once.
    [[nodiscard]] virtual std::int64_t count() const = 0;
    [[nodiscard]] virtual std::int64_t batch() const = 0;
    /// Counts and checksums of what was read: all ranks must have the same.
    [[nodiscard]] virtual Facts facts() const = 0;
    /// The files that were read.
    [[nodiscard]] virtual std::vector<NamedFile> files() const = 0;
    /// Loads the samples from `first` on into the inputs, and sample 0 in place of samples after the last one.
    virtual void load(std::int64_t first, std::byte *arena) = 0;
};

} // namespace planrt
