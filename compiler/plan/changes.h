// The terms of a plan, and how a change of one layer would change their sum.
#pragma once

#include "plan/objective.h"

#include <array>
#include <vector>

namespace planc::plan {

class Changes {
  public:
    /// `objective` must outlive this. `values`: the number of each layer's strategy.
    Changes(const Objective &objective, std::vector<int> values);

    struct Change {
        double seconds = 0; ///< the difference, including the latency of buckets
        double bytes = 0;   ///< of what lives through the step, after the change
    };
    /// The change if `layer` had `value` and all other layers stayed as they are.
    [[nodiscard]] Change to(LayerId layer, int value);
    void set(LayerId layer, int value);
    [[nodiscard]] const std::vector<int> &values() const { return values_; }

  private:
    [[nodiscard]] std::size_t entry(const Term &term) const;
    [[nodiscard]] double bytes(const Term &term) const;
    void count(const Term &term, int by);
    [[nodiscard]] double latency() const;

    const Objective &objective_;
    std::vector<int> values_;
    PerLayer<std::vector<const Term *>> terms_of_;
    std::array<int, 32> uses_{}; ///< per set of bucket axes: entries that join it
    double bytes_ = 0;
};

} // namespace planc::plan
