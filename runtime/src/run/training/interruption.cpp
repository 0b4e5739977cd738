#include "run/training/interruption.h"

#include "support/failure.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace planrt {

namespace {

struct Known {
    int number;
    const char *name;
};
constexpr std::array<Known, 3> known = {{{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}}};
constexpr double interval = 0.05; // s between two exchanges
constexpr double most_steps = 1e6;

volatile std::sig_atomic_t received = 0;
std::array<struct sigaction, known.size()> before;

void receive(int signal) {
    received = signal;
}

} // namespace

const char *name_of_signal(int signal) {
    const auto found = std::ranges::find(known, signal, &Known::number);
    return found == known.end() ? "a signal" : found->name;
}

Interruption::Interruption() {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &all_), "set-up");
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
    received = 0;
    struct sigaction action{};
    action.sa_handler = receive;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    for (std::size_t i = 0; i < known.size(); ++i) {
        sigaction(known[i].number, nullptr, &before[i]);
        if (before[i].sa_handler != SIG_IGN) // as under nohup
            sigaction(known[i].number, &action, nullptr);
    }
}

Interruption::~Interruption() {
    complete();
    MPI_Comm_free(&all_);
    for (std::size_t i = 0; i < known.size(); ++i)
        sigaction(known[i].number, &before[i], nullptr);
}

int Interruption::after(std::int64_t steps_done, double seconds) {
    seconds_ = std::max(seconds_, seconds);
    if (next_ && steps_done < *next_)
        return 0;
    complete();
    const auto signal = static_cast<int>(all_have_[0]);
    if (signal != 0)
        return signal;
    next_ = steps_done + static_cast<std::int64_t>(std::clamp(interval / std::max(all_have_[1], 1e-9), 1.0,
                                                              all_have_[1] > 0 ? most_steps : 1.0));
    exchange();
    return 0;
}

void Interruption::exchange() {
    mine_ = {static_cast<double>(received), std::exchange(seconds_, 0)};
    // PMPI, because this is not the step's communication and must not be counted (count/pmpi.cpp).
    check_mpi(PMPI_Iallreduce(mine_.data(), all_have_.data(), static_cast<int>(mine_.size()), MPI_DOUBLE, MPI_MAX, all_,
                              &request_),
              "agreement of the ranks");
}

void Interruption::complete() {
    if (request_ != MPI_REQUEST_NULL)
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

} // namespace planrt
