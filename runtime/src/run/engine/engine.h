// One rank at work: its arena, its communicators and collectives, and the Context that the emitted functions see.
#pragma once

#include "collectives/operation.h"
#include "count/counters.h"
#include "count/step_clock.h"
#include "count/trace_recorder.h"
#include "run/engine/arena.h"

#include <planrt/planrt.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace planrt {

class Engine {
  public:
    /// Fills the fields of a body with its part of the batch.
    using Load = std::function<void(int body, const MicroBatch &part)>;

    /// Allocates the arena; `measured`: see Arena. Collective over the world. Errors: CommonFailure.
    Engine(const Program &program, int rank, double watchdog_seconds, bool measured);
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    /// Makes the communicators and packing plans of the first `count` collectives. Collective over the world. Errors:
    /// CommonFailure.
    void make_collectives(std::size_t count = SIZE_MAX);

    [[nodiscard]] const Program &program() const { return program_; }
    /// All ranks.
    [[nodiscard]] const Mesh &mesh() const { return mesh_; }
    [[nodiscard]] int rank() const { return context_.rank(); }
    /// The role of this rank, the mesh of the role's ranks, and this rank's number in it. Placements of the role's
    /// tensors refer to this mesh.
    [[nodiscard]] int role() const { return role_; }
    [[nodiscard]] const Mesh &role_mesh() const { return role_mesh_; }
    [[nodiscard]] int role_rank() const { return role_rank_; }
    [[nodiscard]] std::byte *arena() const { return arena_->begin(); }
    [[nodiscard]] std::int64_t high_water() const { return arena_->high_water(); }
    [[nodiscard]] Context &context() { return context_; }

    /// Runs an evaluation or a prediction of samples from the number `first` on, after so many epochs: random numbers
    /// depend on both. Errors: Failure if it leaves a collective incomplete.
    void run_evaluation(void (*function)(Context &), std::int64_t first = 0, std::int64_t epochs = 0);
    /// Runs the actions of this rank's role; their communication is booked to its collectives. `load` fills a body's
    /// fields, in the slot of the context. Errors: Failure if a collective is left incomplete.
    void run_training_step(const Load &load);
    /// Set the seed and the step, on which random numbers depend, besides the first sample of the micro-batch.
    void set_seed(std::uint64_t seed) { context_.seed_ = seed; }
    void set_step(std::int64_t step) { step_ = step; }
    /// The blocks of sparse matrices (data/matrix_blocks.h), which outlive all runs.
    void set_matrices(const void *const *blocks) { context_.matrices_ = blocks; }
    /// Sets the numbers of the vertices in the file, which outlive all runs.
    void set_vertices(const std::int32_t *vertices) { context_.vertices_ = vertices; }

    /// Books the time of training steps to the clock from now on; null: times are not measured.
    void set_clock(StepClock *clock) { context_.clock_ = clock; }
    /// Records what training steps do from now on; null: nothing is recorded.
    void set_trace(TraceRecorder *trace) { trace_ = trace; }

    /// From now on, each collective is completed where it is started, after `meet` has synchronised the ranks, so that
    /// nothing overlaps with it; null: collectives run as in the program.
    void set_alone(void (*meet)()) { meet_ = meet; }

    /// The value of a replicated scalar in the arena.
    [[nodiscard]] double scalar(const Tensor &tensor) const;
    /// The value of a replicated scalar of a role, on every rank. Collective over the world where there are several
    /// roles.
    [[nodiscard]] double scalar_of(int role, const Tensor &tensor);
    /// The loss after a training step, on every rank. Collective over the world where there are several roles.
    [[nodiscard]] double loss();

    /// This rank's part of a dimension of a tensor of its role.
    [[nodiscard]] Range local_range(const Dimension &dimension) const {
        return local_range(dimension.extent, dimension.axes, dimension.window);
    }

    // The implementation of Context.
    [[nodiscard]] Range local_range(std::int64_t extent, std::span<const int> axes,
                                    const std::optional<Window> &window = {}) const;
    /// Of a staged gather: the indices of its dimension that each piece has.
    [[nodiscard]] std::vector<Range> piece_ranges(int index) const;
    void start(int index);
    void wait(int index);
    [[nodiscard]] int pieces(int index) const { return static_cast<int>(operation(in_slot(index)).pieces().size()); }
    [[nodiscard]] const Piece<std::byte> &piece(int index, int number);
    void progress();

  private:
    /// An active collective in a slot.
    struct Started {
        int index;
        std::int64_t slot;
        friend bool operator==(const Started &, const Started &) = default;
    };

    void run(const Action &action, const Load &load);
    void run_body(const Action &action, const Load &load);
    void check_all_complete();
    /// The recorder of a collective's times; null: they are not recorded.
    [[nodiscard]] TraceRecorder *trace_of(int index) const;
    [[nodiscard]] int tag_of(const Collective &collective, int index) const;
    [[nodiscard]] Operation &operation(const Started &started) const;
    /// The collective `index` in the current slot.
    [[nodiscard]] Started in_slot(int index) const;
    /// Waits for the collective and unpacks its result.
    void complete(const Started &started);
    /// Waits until the collective is complete, while the others advance too. With a watchdog, which is for tests, all
    /// ranks end after its time.
    void watched_wait(const Started &started);
    /// Lets the collective advance. Returns true if it is complete.
    [[nodiscard]] bool test(const Started &started);
    /// Sets the account to which sent messages belong.
    void book_to(int index);
    void book_to_none();
    [[noreturn]] void fail(int index, const std::string &reason) const;

    const Program &program_;
    Mesh mesh_;
    int role_;
    Mesh role_mesh_;
    int role_rank_;
    std::vector<int> coordinates_; ///< within the role
    Communicators communicators_;
    double watchdog_seconds_;
    std::optional<Arena> arena_;
    std::vector<MicroBatch> micro_batches_;
    std::vector<Action> actions_; ///< of the role
    /// By index of Program::collectives: one operation, or one for each slot; none if this rank takes no part.
    std::vector<std::vector<OperationPointer>> operations_;
    std::vector<Started> started_; ///< in the order of their starts; capacity for all
    bool training_ = false;
    std::int64_t step_ = 0; ///< training steps done before
    int micro_batch_ = 0;   ///< of the current action
    TraceRecorder *trace_ = nullptr;
    void (*meet_)() = nullptr;
    Context context_;
};

} // namespace planrt
