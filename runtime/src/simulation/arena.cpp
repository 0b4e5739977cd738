// All ranks share one memory that nobody reads. SMPI knows it and copies nothing between ranks.
#include "run/engine/arena.h"

#include <smpi/smpi.h>

#include <algorithm>
#include <new>

namespace planrt {

void Arena::Free::operator()(std::byte *memory) const {
    smpi_shared_free(memory);
}

void Arena::check_available(std::int64_t /*bytes*/, int /*ranks_of_this_machine*/) {}

void Arena::check_on_all_ranks(std::int64_t /*bytes*/) {}

Arena::Arena(std::int64_t bytes, bool /*measured*/) {
    memory_.reset(
        static_cast<std::byte *>(SMPI_SHARED_MALLOC(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)))));
    if (memory_ == nullptr)
        throw std::bad_alloc();
}

/// Nothing is written, so nothing is measured.
std::int64_t Arena::high_water() const {
    return static_cast<std::int64_t>(filled_);
}

} // namespace planrt
