// Compares the predicted with the measured time of a training step: by layer and part of the step, by collective, in
// total.
#pragma once

#include "count/cores.h"
#include "count/step_clock.h"

#include <planrt/planrt.h>

#include <string>
#include <vector>

namespace planrt {

/// Medians over steps, in seconds. Predicted communication is without overlap; measured communication is the part that
/// computation does not hide.
class Times {
  public:
    /// Gathers the ranks' times. Collective over the world. `product`: the rank's measured time of two
    /// reference_products; 0: none. `machine`: the machine that the rank runs on.
    Times(const Program &program, const StepClock &clock, double product, const CoresOfMachine &machine, int ranks);

    /// A table for people, on rank 0 only. Its rows are those of the rank that computes longest.
    [[nodiscard]] std::string table() const;
    /// {"steps": …, "rows": […], "collectives": […], …} with a number for each rank; rank 0 only.
    [[nodiscard]] std::string json_text() const;

  private:
    /// The numbers that are gathered from each rank.
    enum Sum : int { computation, communication, besides, step, reference, machine_ranks, threads, cores, sums };
    [[nodiscard]] double sum(int rank, Sum which) const { return at(rank, which); }
    [[nodiscard]] double of_work(int rank, std::size_t row) const { return at(rank, sums + static_cast<int>(row)); }
    [[nodiscard]] double of_collective(int rank, std::size_t index) const {
        return at(rank, sums + static_cast<int>(program_.work.size() + index));
    }
    [[nodiscard]] double at(int rank, int number) const {
        return all_[static_cast<std::size_t>(rank) * numbers_ + static_cast<std::size_t>(number)];
    }
    [[nodiscard]] std::span<const Collective> collectives() const {
        return program_.collectives.first(static_cast<std::size_t>(program_.training_collectives));
    }
    [[nodiscard]] double predicted(Sum which) const;
    [[nodiscard]] CoresOfMachine machine_of(int rank) const;
    /// The speed of a rank's processor relative to its speed when the machine was measured; 1 if either is unknown.
    [[nodiscard]] double speed(int rank) const;

    const Program &program_;
    int ranks_;
    int steps_;
    std::size_t numbers_;
    std::vector<double> all_; ///< by rank
};

} // namespace planrt
