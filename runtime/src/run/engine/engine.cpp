#include "run/engine/engine.h"

#include "mesh/step_actions.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/staged.h>

#include <algorithm>

namespace planrt {

Engine::Engine(const Program &program, int rank, double watchdog_seconds, bool measured)
    : program_(program), mesh_(mesh_of(program)), role_(role_of_rank(program, rank)),
      role_mesh_(role_of(program, role_).mesh(mesh_)), role_rank_(role_of(program, role_).rank_within(mesh_, rank)),
      coordinates_(role_mesh_.coordinates(role_rank_)),
      communicators_(role_mesh_, role_rank_, role_, static_cast<int>(program.roles.size())),
      watchdog_seconds_(watchdog_seconds), micro_batches_(micro_batches_of(program)) {
    if (!program.roles.empty())
        actions_ = actions_of(program.roles[role_]);
    const std::int64_t of_role = program.roles.empty() ? 0 : program.roles[role_].arena_bytes;
    const std::int64_t bytes = of_role > 0 ? of_role : program.arena_bytes;
    Arena::check_on_all_ranks(bytes);
    together([&] { arena_.emplace(bytes, measured); });
    context_.arena_ = arena_->begin();
    context_.rank_ = rank;
    context_.role_ = role_;
    context_.engine_ = this;
    if (program.roles.empty() || program.roles[role_].slots <= 1)
        return;
    context_.slot_offset_ = program.roles[role_].slot_offset;
    context_.slot_bytes_ = program.roles[role_].slot_bytes;
}

void Engine::make_collectives(std::size_t count) {
    const std::span<const Collective> collectives =
        program_.collectives.first(std::min(count, program_.collectives.size()));
    const auto takes_part = [this](const Collective &collective) {
        return program_.roles.empty() || collective.role == role_ || collective.to_role == role_;
    };
    // Communicators are made first, on all ranks of the role alike, because what follows may fail on one rank only.
    for (const Collective &collective : collectives)
        if (takes_part(collective) && collective.kind != CollectiveKind::slice &&
            collective.kind != CollectiveKind::exchange && collective.algorithm == Algorithm::mpi)
            static_cast<void>(communicators_.along(group_axes(collective)));
    together([&] {
        const Place place{role_mesh_, role_rank_, context_, communicators_, program_, rank()};
        for (const Collective &collective : collectives) {
            const auto index = static_cast<int>(operations_.size());
            std::vector<OperationPointer> &of_slots = operations_.emplace_back();
            if (!takes_part(collective))
                continue;
            const bool many = !program_.roles.empty() && is_in_slots(collective, program_.roles[role_]);
            try {
                for (context_.slot_ = 0; context_.slot_ < (many ? program_.roles[role_].slots : 1); ++context_.slot_)
                    of_slots.push_back(make_operation(collective, place, tag_of(collective, index)));
            } catch (const Failure &failure) {
                throw Failure(describe(program_, collective) + ": " + failure.what());
            }
            context_.slot_ = 0;
        }
    });
    std::size_t all = 0;
    for (const std::vector<OperationPointer> &of_slots : operations_)
        all += of_slots.size();
    started_.reserve(all);
}

/// The tag of a collective's messages, which depends on the slot, because the collective may be in flight in several
/// slots. A transfer between roles has one tag: it may lie in different slots at its two sides, but its messages arrive
/// in the order in which they are sent.
int Engine::tag_of(const Collective &collective, int index) const {
    const int slots = program_.roles.empty() ? 1 : program_.roles[role_].slots;
    return is_transfer(collective) ? index : index * slots + static_cast<int>(context_.slot_);
}

void Engine::run_evaluation(void (*function)(Context &), std::int64_t first, std::int64_t epochs) {
    training_ = false;
    counters().book_to(Counters::evaluation);
    context_.first_sample_ = first;
    context_.step_ = epochs;
    function(context_);
    context_.first_sample_ = 0;
    check_all_complete();
}

void Engine::run_training_step(const Load &load) {
    training_ = true;
    counters().book_to(Counters::stray);
    for (const Action &action : actions_)
        run(action, load);
    context_.slot_ = 0;
    context_.first_sample_ = 0;
    check_all_complete();
}

void Engine::run(const Action &action, const Load &load) {
    const MicroBatch &part = micro_batches_[action.micro_batch];
    context_.slot_ = action.slot;
    context_.first_sample_ = part.first;
    micro_batch_ = action.micro_batch;
    context_.step_ = step_ * (micro_batches_.back().update + 1) + part.update;
    switch (action.kind) {
    case ActionKind::run:
        return run_body(action, load);
    case ActionKind::start:
    case ActionKind::send:
        return start(action.index);
    case ActionKind::wait:
        return wait(action.index);
    case ActionKind::receive:
        if (std::ranges::find(started_, in_slot(action.index)) == started_.end())
            start(action.index);
        return wait(action.index);
    case ActionKind::move:
        start(action.index);
        return wait(action.index);
    case ActionKind::progress:
        return progress();
    }
}

void Engine::run_body(const Action &action, const Load &load) {
    const Body &body = program_.bodies[action.index];
    if (load && !body.fields.empty()) {
        const TraceRecorder::Span traced(trace_, TraceRecorder::Kind::samples, action.index, action.micro_batch);
        load(action.index, micro_batches_[action.micro_batch]);
    }
    const TraceRecorder::Span traced(trace_, TraceRecorder::Kind::run, action.index, action.micro_batch);
    body.run(context_);
}

void Engine::check_all_complete() {
    if (!started_.empty())
        fail(started_.front().index, "internal error of the compiler: started, but never waited for");
    counters().book_to(Counters::set_up);
}

Engine::Started Engine::in_slot(int index) const {
    return {index, operations_[index].size() > 1 ? context_.slot_ : 0};
}

Operation &Engine::operation(const Started &started) const {
    return *operations_[started.index][static_cast<std::size_t>(started.slot)];
}

double Engine::scalar(const Tensor &tensor) const {
    switch (tensor.type) {
    case Type::f64:
        return *context_.at<double>(tensor.offset);
    case Type::i32:
        return *context_.at<std::int32_t>(tensor.offset);
    case Type::f32:
        break;
    }
    return *context_.at<float>(tensor.offset);
}

double Engine::loss() {
    context_.slot_ = program_.loss_slot;
    const double loss = scalar_of(program_.loss_role, program_.loss);
    context_.slot_ = 0;
    return loss;
}

double Engine::scalar_of(int role, const Tensor &tensor) {
    double value = role_ == role ? scalar(tensor) : 0;
    if (program_.roles.size() > 1) {
        const int root = role_of(program_, role).rank_of(mesh_, 0);
        check_mpi(MPI_Bcast(&value, 1, MPI_DOUBLE, root, MPI_COMM_WORLD), "a result of another role");
    }
    return value;
}

Range Engine::local_range(std::int64_t extent, std::span<const int> axes, const std::optional<Window> &window) const {
    const DimensionPlacement dimension{extent, {}, window};
    CutBlock cut = dimension.whole();
    for (const int axis : axes)
        cut = cut_block(cut, role_mesh_.sizes[axis], coordinates_[axis]);
    return dimension.indices(cut);
}

std::vector<Range> Engine::piece_ranges(int index) const {
    const Collective &collective = program_.collectives[index];
    const auto &[from, to] = collective.members[0];
    const std::optional<StagedGather> gather =
        staged_gather(collective.kind, collective.axes, placement_of(from), placement_of(to), role_mesh_, role_rank_);
    std::vector<Range> ranges{gather.value().own[gather->dimension]};
    for (const StagedGather::Round &round : gather->rounds)
        ranges.push_back(round.received[gather->dimension]);
    return ranges;
}

void Engine::book_to(int index) {
    if (training_)
        counters().book_to_collective(index);
}

void Engine::book_to_none() {
    counters().book_to(training_ ? Counters::stray : Counters::evaluation);
}

/// Slices are not recorded, because nothing of them travels.
TraceRecorder *Engine::trace_of(int index) const {
    const bool traced = trace_ != nullptr && training_ && program_.collectives[index].kind != CollectiveKind::slice;
    return traced ? trace_ : nullptr;
}

void Engine::start(int index) {
    if (meet_ != nullptr)
        meet_();
    const TraceRecorder::Span traced(trace_of(index), TraceRecorder::Kind::work, index, micro_batch_);
    const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
    const Started starting = in_slot(index);
    if (std::ranges::find(started_, starting) != started_.end())
        fail(index, "internal error of the compiler: started again before it was waited for");
    book_to(index);
    try {
        operation(starting).start();
        if (meet_ != nullptr && !operation(starting).pieces().empty())
            operation(starting).all_pieces();
    } catch (const Failure &failure) {
        fail(index, failure.what());
    }
    started_.push_back(starting);
    book_to_none();
    if (meet_ != nullptr)
        complete(starting);
}

void Engine::wait(int index) {
    if (meet_ != nullptr)
        return;
    const TraceRecorder::Span traced(trace_of(index), TraceRecorder::Kind::wait, index, micro_batch_);
    const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
    complete(in_slot(index));
}

const Piece<std::byte> &Engine::piece(int index, int number) {
    const Started gather = in_slot(index);
    Operation &staged = operation(gather);
    if (number == 0 || meet_ != nullptr)
        return staged.pieces()[static_cast<std::size_t>(number)];
    const TraceRecorder::Span traced(trace_of(index), TraceRecorder::Kind::wait, index, micro_batch_);
    const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
    complete(gather);
    if (number + 1 < static_cast<int>(staged.pieces().size())) {
        started_.push_back(gather);
        book_to(index);
        staged.next_piece();
        book_to_none();
    }
    return staged.pieces()[static_cast<std::size_t>(number)];
}

void Engine::complete(const Started &waited) {
    const auto started = std::ranges::find(started_, waited);
    if (started == started_.end())
        fail(waited.index, "internal error of the compiler: waited for, but not started");
    started_.erase(started);
    const bool others_need_us =
        std::ranges::any_of(started_, [this](const Started &other) { return operation(other).by_messages(); });
    if (watchdog_seconds_ > 0 || others_need_us) {
        watched_wait(waited);
    } else {
        book_to(waited.index);
        try {
            operation(waited).wait();
        } catch (const Failure &failure) {
            fail(waited.index, failure.what());
        }
        book_to_none();
    }
    operation(waited).finish();
}

bool Engine::test(const Started &started) {
    book_to(started.index);
    bool done = false;
    try {
        done = operation(started).test();
    } catch (const Failure &failure) {
        fail(started.index, failure.what());
    }
    book_to_none();
    return done;
}

void Engine::progress() {
    for (const Started &started : started_) {
        const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, started.index);
        static_cast<void>(test(started));
    }
}

void Engine::fail(int index, const std::string &reason) const {
    throw Failure(describe(program_, program_.collectives[index]) + ": " + reason);
}

} // namespace planrt
