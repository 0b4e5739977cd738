// SIGINT, SIGTERM and SIGUSR1 while a run trains: all ranks stop after the same step.
//
// A signal may reach one rank only, or all ranks at different steps. The ranks therefore exchange the signals that they
// have received every few steps. An exchange runs beside the following steps and is read when the next one begins. The
// number of the step alone decides when that is, so that all ranks read the same exchange. The number of steps between
// two exchanges follows from the time of recent steps on the slowest rank: exchanges are about a twentieth of a second
// apart, however short a step is.
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
    /// Restores the previous signal handlers. Collective over the world, so it must not run if only this rank has
    /// failed.
    ~Interruption();

    /// Must be called after each step, on all ranks. Returns the signal at which all ranks stop here; 0 if they
    /// continue. `seconds`: the time of the step.
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
