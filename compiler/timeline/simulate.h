// simulate(): when every rank does what in one training step, computation and communication side by side.
//
// The model:
//   - Each rank has a compute lane, on which its kernels run in the order of the schedule, and a network lane, its
//     links.
//   - A collective is a sequence of rounds of messages. A round begins when all members of the group have called MPI
//     since the round before ended (first: have started the collective); it then takes its time by itself, beside
//     whatever the ranks compute. MPI is called by starts, by progress points, and all the time while waiting: without
//     these a collective does not go on.
//   - A round's latency passes first, side by side with whatever else is under way; then it is on the links. Rounds
//   that
//     a rank has on its links at the same time share them equally, and a round is as slow as the busiest links of its
//     senders let it be. A price (cost/collectives/collectives.h) counts in already that all ranks of a node use its
//     links.
//   - Of a collective that is work of the ranks' processors each does its part when it starts it, and computes nothing
//     beside it.
//   - A wait ends when the collective is complete on its group.
//
// So without overlap a step takes the sum of its kernels and collectives, of the slowest rank between any two meetings.
#pragma once

#include "timeline/program.h"

#include <map>
#include <string>
#include <vector>

namespace planc::timeline {

enum class EventKind : std::uint8_t {
    compute,  ///< compute lane: a kernel
    work,     ///< compute lane: its processor's part of a collective
    wait,     ///< compute lane: for a collective
    transfer, ///< network lane: rounds of a collective
};

struct Event {
    EventKind kind = EventKind::compute;
    int index = 0; ///< of the kernel or collective
    Seconds begin{};
    Seconds end{};
    int rounds = 0;    ///< of a transfer
    Seconds carried{}; ///< of a transfer: what it would take with the links for itself

    [[nodiscard]] Seconds seconds() const { return end - begin; }
};

/// What one rank does, and what comes to: compute + exposed + idle is the makespan.
struct RankTime {
    std::vector<Event> compute; ///< kernels, work and waits, in order
    std::vector<Event> network; ///< transfers, in the order in which they begin, then by collective; they may overlap
    Seconds computing{};
    Seconds communicating{}; ///< work, and what its links carry, each round with the links for itself
    Seconds exposed{};       ///< work, and waits while its links are in use
    Seconds idle{};          ///< waits while its links rest, for slower ranks, or has nothing left to do
};

struct Timeline {
    std::vector<RankTime> ranks; ///< by rank class
    Seconds makespan{};
    int last = 0; ///< the rank class that computes and communicates longest: its exposed communication is the step's

    [[nodiscard]] const RankTime &critical() const { return ranks[static_cast<std::size_t>(last)]; }
};

[[nodiscard]] Timeline simulate(const Program &program);

/// Work of one rank for the collectives of each layer and waiting for them, exposed communication and idle time
/// together.
[[nodiscard]] std::map<std::string, Seconds> waiting_by_layer(const Program &program, const RankTime &rank);

} // namespace planc::timeline
