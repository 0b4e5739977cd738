// What one rank does when in the last training steps: runs of bodies, and what it spends on communication. All memory
// is allocated at set-up. A program without --trace has no recorder, and pays one branch for each event.
#pragma once

#include "count/step_clock.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

class TraceRecorder {
  public:
    enum class Kind : std::uint8_t {
        run,     ///< a body, with all communication in it
        samples, ///< loading the batch for a body
        work,    ///< starting a collective or a transfer: packing and handing it to MPI
        wait,    ///< for a collective or a transfer, and unpacking it
    };
    struct Record {
        Kind kind = Kind::run;
        int index = 0; ///< in Program::bodies, or in Program::collectives
        int micro_batch = 0;
        double begin = 0; ///< s, by the rank's own clock
        double end = 0;
    };

    /// Keeps the last `most_steps` steps of at most `most_records` each; later records of a step are left out. `now`:
    /// seconds, by any clock.
    TraceRecorder(std::size_t most_records, int most_steps, double (*now)() = steady_seconds)
        : most_records_(most_records), now_(now), records_(most_records * static_cast<std::size_t>(most_steps)),
          steps_(static_cast<std::size_t>(most_steps)) {}

    /// `number`: the steps done before.
    void begin_step(std::int64_t number) {
        current_ = static_cast<std::size_t>(begun_++) % steps_.size();
        steps_[current_] = {number, 0};
    }

    /// Records the time for which it exists. Spans lie within each other or follow each other.
    class Span {
      public:
        /// `recorder` null: nothing is recorded.
        Span(TraceRecorder *recorder, Kind kind, int index, int micro_batch) : recorder_(recorder) {
            if (recorder != nullptr)
                record_ = {kind, index, micro_batch, recorder->now_(), 0};
        }
        ~Span() {
            if (recorder_ != nullptr)
                recorder_->add(record_);
        }
        Span(const Span &) = delete;
        Span &operator=(const Span &) = delete;

      private:
        TraceRecorder *recorder_;
        Record record_;
    };

    /// The steps that are kept, the oldest first, each with its number and its records in the order of their ends.
    struct Step {
        std::int64_t number = 0;
        std::span<const Record> records = {};
    };
    [[nodiscard]] std::vector<Step> steps() const {
        std::vector<Step> result;
        const auto kept = static_cast<std::int64_t>(steps_.size());
        for (std::int64_t step = begun_ > kept ? begun_ - kept : 0; step < begun_; ++step) {
            const auto place = static_cast<std::size_t>(step % kept);
            result.push_back({steps_[place].number, {records_.data() + place * most_records_, steps_[place].records}});
        }
        return result;
    }

  private:
    void add(Record record) {
        Kept &step = steps_[current_];
        if (step.records == most_records_)
            return;
        record.end = now_();
        records_[current_ * most_records_ + step.records++] = record;
    }

    /// A step whose records begin at its place in `records_`.
    struct Kept {
        std::int64_t number = 0;
        std::size_t records = 0;
    };

    std::size_t most_records_; ///< of a step
    double (*now_)();
    std::vector<Record> records_;
    std::vector<Kept> steps_;
    std::int64_t begun_ = 0;  ///< steps
    std::size_t current_ = 0; ///< in `steps_`
};

} // namespace planrt
