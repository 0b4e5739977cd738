// Context is what the emitted functions see of the engine.
#include "count/step_clock.h"
#include "run/engine/engine.h"

namespace planrt {

std::int64_t Context::local_extent(std::int64_t extent, std::span<const int> axes) const {
    return engine_->local_range(extent, axes).size();
}

std::int64_t Context::local_begin(std::int64_t extent, std::span<const int> axes) const {
    return engine_->local_range(extent, axes).begin;
}

std::int64_t Context::local_extent(std::int64_t extent, std::span<const int> axes, const Window &window) const {
    return engine_->local_range(extent, axes, window).size();
}

std::int64_t Context::local_begin(std::int64_t extent, std::span<const int> axes, const Window &window) const {
    return engine_->local_range(extent, axes, window).begin;
}

void Context::start(int index) {
    engine_->start(index);
}

void Context::wait(int index) {
    engine_->wait(index);
}

int Context::pieces(int index) const {
    return engine_->pieces(index);
}

Piece<std::byte> Context::arrived(int index, int number) {
    return engine_->piece(index, number);
}

void Context::progress() {
    engine_->progress();
}

void Context::book(int index) {
    clock_->enter_work(index);
}

} // namespace planrt
