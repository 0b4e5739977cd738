// One rank at work: its arena, its communicators and collectives, and the Context that the emitted functions see.
#pragma once

#include "collectives/operation.h"
#include "count/counters.h"
#include "count/step_clock.h"
#include "run/engine/arena.h"

#include <planrt/planrt.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planrt {

class Engine {
  public:
    /// Allocates the arena; `measured`: see Arena. Collective over the world. Errors: CommonFailure.
    Engine(const Program &program, int rank, double watchdog_seconds, bool measured);
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    /// Makes communicators and packing plans, of the first `count` collectives. Collective over the world. Errors:
    /// CommonFailure.
    void make_collectives(std::size_t count = SIZE_MAX);

    [[nodiscard]] const Program &program() const { return program_; }
    [[nodiscard]] const Mesh &mesh() const { return mesh_; }
    [[nodiscard]] int rank() const { return context_.rank(); }
    [[nodiscard]] std::byte *arena() const { return arena_->begin(); }
    [[nodiscard]] std::int64_t high_water() const { return arena_->high_water(); }
    [[nodiscard]] Context &context() { return context_; }

    /// Runs a function of the program; what it communicates is booked to its collectives or to evaluation. Failure
    /// where it leaves a collective started.
    void run_step(void (*step)(Context &), bool training);
    /// What random numbers depend on: the seed, the step, the first sample of its micro-batch.
    void set_seed(std::uint64_t seed) { context_.seed_ = seed; }
    void set_step(std::int64_t step) { context_.step_ = step; }
    void set_first_sample(std::int64_t sample) { context_.first_sample_ = sample; }

    /// Books the time of training steps from now on; null: of none.
    void set_clock(StepClock *clock) { context_.clock_ = clock; }

    /// From now on each collective runs by itself, to its end where it is started, after all ranks have met; null: as
    /// the program has it.
    void set_alone(void (*meet)()) { meet_ = meet; }

    /// The value of a replicated scalar in the arena.
    [[nodiscard]] double scalar(const Tensor &tensor) const;

    // What Context does.
    [[nodiscard]] Range local_range(std::int64_t extent, std::span<const int> axes,
                                    const std::optional<Window> &window = {}) const;
    void start(int index);
    void wait(int index);
    void progress();

  private:
    /// Waits for what was started and unpacks it.
    void complete(int index);
    /// Until it is complete, the others advance too; with a bound, for tests: ends all ranks when that is exceeded.
    void watched_wait(int index);
    /// Lets it advance; true: complete.
    [[nodiscard]] bool test(int index);
    /// To which account what is sent belongs.
    void book_to(int index);
    void book_to_none();
    [[noreturn]] void fail(int index, const std::string &reason) const;

    const Program &program_;
    Mesh mesh_;
    std::vector<int> coordinates_;
    Communicators communicators_;
    double watchdog_seconds_;
    std::optional<Arena> arena_;
    std::vector<OperationPointer> operations_; ///< as Program::collectives
    std::vector<int> started_;                 ///< in the order of their starts; capacity for all
    bool training_ = false;
    void (*meet_)() = nullptr;
    Context context_;
};

} // namespace planrt
