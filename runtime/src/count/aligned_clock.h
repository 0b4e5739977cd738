// Times of one rank on the clock of rank 0. Clocks of two machines begin anywhere and drift.
//
// Method (as in NTP, Mills 1991): a rank asks rank 0 for its time and takes it as that of the middle between question
// and answer. Of many such round trips the quickest counts; half of it is the greatest error. This is done at set-up
// and again at the end, and the offset in between lies on the line through both.
#pragma once

namespace planrt {

class AlignedClock {
  public:
    /// Rank 0's clock minus this rank's, in seconds.
    struct Offset {
        double at = 0; ///< by the rank's own clock
        double seconds = 0;
        double error = 0; ///< at most
    };
    AlignedClock() = default;
    AlignedClock(const Offset &first, const Offset &last) : first_(first), last_(last) {}

    /// The time by rank 0's clock, s.
    [[nodiscard]] double of(double own) const {
        const double between = last_.at - first_.at;
        const double share = between > 0 ? (own - first_.at) / between : 0;
        return own + first_.seconds + share * (last_.seconds - first_.seconds);
    }
    [[nodiscard]] double error() const { return first_.error > last_.error ? first_.error : last_.error; }

  private:
    Offset first_;
    Offset last_;
};

/// Measures the offset of this rank, by steady_seconds(). Collective over the world. Errors: Failure.
[[nodiscard]] AlignedClock::Offset measure_offset();

} // namespace planrt
