// SIGINT, SIGTERM and SIGUSR1 while a run trains: all ranks stop after the same step.
//
// A signal may reach one rank, or all of them at different steps. Every so many steps each rank tells what it has got,
// in an exchange that goes on beside the steps and is read at the next time: by the number of the step alone, so that
// all ranks read the same one. How many steps lie between two exchanges follows from the time that the last ones took
// on the slowest rank: about a twentieth of a second, however short a step is.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>

namespace planrt {

class Interruption {
  public:
    /// From now on these signals wait for the end of a step; a second one ends the process. Collective over the world.
    Interruption();
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;
    /// Signals are what they were before. Collective over the world: not where this rank alone has failed.
    ~Interruption();

    /// After each step, on all ranks: the signal at which all ranks stop here; 0: they go on. `seconds`: of the step.
    [[nodiscard]] int after(std::int64_t steps_done, double seconds);

  private:
    void exchange();
    void complete();

    MPI_Comm all_ = MPI_COMM_NULL;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::array<double, 2> mine_{};     ///< the signal; seconds of a step
    std::array<double, 2> all_have_{}; ///< the most of all ranks
    double seconds_ = 0;               ///< of the longest step since the last exchange
    std::optional<std::int64_t> next_; ///< steps done when the exchange is read
};

/// "SIGTERM"
[[nodiscard]] const char *name_of_signal(int signal);

} // namespace planrt
