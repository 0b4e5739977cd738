#include "run/engine/engine.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>

namespace planrt {

Engine::Engine(const Program &program, int rank, double watchdog_seconds, bool measured)
    : program_(program), mesh_(mesh_of(program)), coordinates_(mesh_.coordinates(rank)), communicators_(mesh_, rank),
      watchdog_seconds_(watchdog_seconds) {
    Arena::check_on_all_ranks(program.arena_bytes);
    together([&] { arena_.emplace(program.arena_bytes, measured); });
    context_.arena_ = arena_->begin();
    context_.rank_ = rank;
    context_.engine_ = this;
}

void Engine::make_collectives(std::size_t count) {
    const std::span<const Collective> collectives =
        program_.collectives.first(std::min(count, program_.collectives.size()));
    // Communicators first, on every rank alike: what fails on one rank only comes after.
    for (const Collective &collective : collectives)
        if (collective.kind != CollectiveKind::slice && collective.kind != CollectiveKind::exchange &&
            collective.algorithm == Algorithm::mpi)
            static_cast<void>(communicators_.along(group_axes(collective)));
    together([&] {
        const Place place{mesh_, rank(), arena(), communicators_};
        for (const Collective &collective : collectives) {
            try {
                operations_.push_back(make_operation(collective, place, static_cast<int>(operations_.size())));
            } catch (const Failure &failure) {
                throw Failure(describe(program_, collective) + ": " + failure.what());
            }
        }
    });
    started_.reserve(operations_.size());
}

void Engine::run_step(void (*step)(Context &), bool training) {
    training_ = training;
    counters().book_to(training ? Counters::stray : Counters::evaluation);
    step(context_);
    if (!started_.empty())
        fail(started_.front(), "internal error of the compiler: started, but never waited for");
    counters().book_to(Counters::set_up);
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

Range Engine::local_range(std::int64_t extent, std::span<const int> axes, const std::optional<Window> &window) const {
    const DimensionPlacement dimension{extent, {}, window};
    CutBlock cut = dimension.whole();
    for (const int axis : axes)
        cut = cut_block(cut, mesh_.sizes[axis], coordinates_[axis]);
    return dimension.indices(cut);
}

void Engine::book_to(int index) {
    if (training_)
        counters().book_to_collective(index);
}

void Engine::book_to_none() {
    counters().book_to(training_ ? Counters::stray : Counters::evaluation);
}

void Engine::start(int index) {
    if (meet_ != nullptr)
        meet_();
    const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
    book_to(index);
    try {
        operations_[index]->start();
    } catch (const Failure &failure) {
        fail(index, failure.what());
    }
    started_.push_back(index);
    book_to_none();
    if (meet_ != nullptr)
        complete(index);
}

void Engine::wait(int index) {
    if (meet_ != nullptr)
        return;
    const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
    complete(index);
}

void Engine::complete(int index) {
    const auto started = std::ranges::find(started_, index);
    if (started == started_.end())
        fail(index, "internal error of the compiler: waited for, but not started");
    started_.erase(started);
    const bool others_need_us =
        std::ranges::any_of(started_, [this](int other) { return operations_[other]->by_messages(); });
    if (watchdog_seconds_ > 0 || others_need_us) {
        watched_wait(index);
    } else {
        book_to(index);
        try {
            operations_[index]->wait();
        } catch (const Failure &failure) {
            fail(index, failure.what());
        }
        book_to_none();
    }
    operations_[index]->finish();
}

bool Engine::test(int index) {
    book_to(index);
    bool done = false;
    try {
        done = operations_[index]->test();
    } catch (const Failure &failure) {
        fail(index, failure.what());
    }
    book_to_none();
    return done;
}

void Engine::progress() {
    for (const int index : started_) {
        const StepClock::Communication booked(training_ ? context_.clock_ : nullptr, index);
        static_cast<void>(test(index));
    }
}

void Engine::fail(int index, const std::string &reason) const {
    throw Failure(describe(program_, program_.collectives[index]) + ": " + reason);
}

} // namespace planrt
