// Where the time of training steps goes. Every moment of a step is booked to one account: a row of Program::work, a
// collective, or one of two others. Entering an account ends the previous one. Time in start(), wait() and progress()
// belongs to the collective: the part that computation does not hide, including waiting for slower ranks.
#pragma once

#include <vector>

namespace planrt {

/// The time of this machine's monotonic clock, in seconds.
[[nodiscard]] double steady_seconds();

class StepClock {
  public:
    enum Besides : int { rest = 0, samples = 1 }; ///< samples: loading the batch

    /// `now`: seconds, by any clock. `most_steps`: the number of steps whose times are kept.
    StepClock(int work, int collectives, int most_steps = 256, double (*now)() = steady_seconds);

    void begin_step();
    void end_step();
    void enter(Besides account) { change_to(account); }
    void enter_work(int row) { change_to(2 + row); }

    /// While it exists, time belongs to the collective.
    class Communication {
      public:
        /// `clock` null: nothing is measured.
        Communication(StepClock *clock, int collective)
            : clock_(clock), before_(clock == nullptr ? 0 : clock->change_to(clock->first_collective_ + collective)) {}
        ~Communication() {
            if (clock_ != nullptr)
                clock_->change_to(before_);
        }
        Communication(const Communication &) = delete;
        Communication &operator=(const Communication &) = delete;

      private:
        StepClock *clock_;
        int before_;
    };

    /// The number of steps whose times are kept: the last ones, without those at the beginning, in which caches and
    /// pages are cold.
    [[nodiscard]] int steps() const;
    /// The median over these steps, in seconds, of the sum of accounts [begin, end). Accounts are numbered from `rest`:
    /// rows of work, then collectives.
    [[nodiscard]] double median(int begin, int end) const;
    [[nodiscard]] int first_work() const { return 2; }
    [[nodiscard]] int first_collective() const { return first_collective_; }
    [[nodiscard]] int accounts() const { return static_cast<int>(seconds_.size()); }

  private:
    /// Returns the previous account.
    int change_to(int account);

    int first_collective_;
    long most_kept_; ///< steps
    double (*now_)();
    std::vector<double> seconds_; ///< of the current step, by account
    std::vector<double> kept_;    ///< by step, by account
    long done_ = 0;               ///< steps
    int current_ = rest;
    double since_ = 0;
};

} // namespace planrt
