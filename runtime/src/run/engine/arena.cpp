#include "run/engine/arena.h"

#include "support/failure.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>

namespace planrt {

namespace {

constexpr std::size_t page = std::size_t{2} << 20; // a huge page: fewer misses in large products
constexpr std::size_t guard = std::size_t{1} << 16;
constexpr std::byte pattern{0xFF};

/// "3.2 GiB", in the unit that leaves three or four digits.
std::string scaled(double bytes) {
    const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
        bytes /= 1024;
    return text("%.*f %s", unit == 0 || bytes >= 100 ? 0 : bytes >= 10 ? 1 : 2, bytes, units[unit]);
}

/// The memory that this machine can still provide, swap included; unlimited if the machine does not tell.
double available_bytes() {
    std::ifstream file("/proc/meminfo");
    double bytes = 0;
    for (std::string line; std::getline(file, line);) {
        double kibibytes = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %lf kB", &kibibytes) == 1 ||
            std::sscanf(line.c_str(), "SwapFree: %lf kB", &kibibytes) == 1)
            bytes += 1024 * kibibytes;
    }
    return bytes > 0 ? bytes : std::numeric_limits<double>::infinity();
}

/// How many ranks share this machine's memory.
int ranks_of_this_machine() {
    MPI_Comm machine = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine), "set-up");
    int ranks = 1;
    MPI_Comm_size(machine, &ranks);
    MPI_Comm_free(&machine);
    return ranks;
}

} // namespace

void Arena::Free::operator()(std::byte *memory) const {
    std::free(memory);
}

void Arena::check_available(std::int64_t bytes, int ranks_of_this_machine) {
    const double available = available_bytes();
    if (static_cast<double>(bytes) * ranks_of_this_machine <= available)
        return;
    throw Failure(text("out of memory: the program needs %s on each of %d %s, but this machine has %s left",
                       scaled(static_cast<double>(bytes)).c_str(), ranks_of_this_machine,
                       ranks_of_this_machine == 1 ? "rank" : "ranks", scaled(available).c_str()));
}

void Arena::check_on_all_ranks(std::int64_t bytes) {
    const int neighbours = ranks_of_this_machine();
    together([&] { check_available(bytes, neighbours); });
}

Arena::Arena(std::int64_t bytes, bool measured) {
    const std::size_t used = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)) + (measured ? guard : 0);
    const std::size_t size = (used + page - 1) / page * page;
    memory_.reset(static_cast<std::byte *>(std::aligned_alloc(page, size)));
    if (memory_ == nullptr)
        throw std::bad_alloc();
    madvise(memory_.get(), size, MADV_HUGEPAGE);
    filled_ = measured ? used : 0;
    std::memset(memory_.get(), measured ? static_cast<int>(pattern) : 0, size); // now, not in the first step
}

std::int64_t Arena::high_water() const {
    std::size_t end = filled_;
    while (end > 0 && memory_[end - 1] == pattern)
        --end;
    return static_cast<std::int64_t>(end);
}

} // namespace planrt
