// simulate(): what every rank does when in one training step, with overlap of computation and communication.
//
// The model:
// - Each rank has a compute lane, on which its kernels run in the order of the schedule, and a network lane, its links.
// - A collective is a sequence of rounds of messages. A round begins once all members of the group have called MPI
//   after the previous round ended (the first: once all have started the collective). It then proceeds without the
//   processors. Starts, progress points and waits call MPI, a wait all the time; without such calls a collective makes
//   no progress.
// - The latency of a round passes first, and latencies of simultaneous rounds overlap; then the round uses the links.
//   Rounds that use a rank's links in the same direction at the same time share them equally, and a round is as slow as
//   the busiest of its links. A collective uses those of its ranks in both directions, a transfer between the stages of
//   a pipeline the links out of its senders and those into its receivers. What stays inside a node, the machine's
//   innermost level, uses other links than what leaves it. Prices (cost/collectives/collectives.h) already take
//   into account that all ranks of a node use its links.
// - If part of a collective is work of the ranks' processors, each rank does its part when it starts the collective,
//   and computes nothing meanwhile.
// - A wait ends when the collective is complete on its group. Of a gather in pieces, ranks wait for one round after the
//   other, and compute in between; only then may the next one begin.
//
// So without overlap a step takes the sum of its kernels and collectives, of the slowest rank between any two
// synchronisations.
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
    Seconds carried{}; ///< of a transfer: its time if it had the links for itself

    [[nodiscard]] Seconds seconds() const { return end - begin; }
};

/// A run of a body, with the waits in it.
struct RunTime {
    int run = 0; ///< in Program::runs
    Seconds begin{};
    Seconds end{};
};

/// What one rank does, and the totals: compute + exposed + idle is the makespan.
struct RankTime {
    std::vector<Event> compute; ///< kernels, work and waits, in order
    std::vector<Event> network; ///< transfers, in the order in which they begin, then by collective; they may overlap
    std::vector<RunTime> runs;  ///< in order
    Seconds computing{};
    Seconds communicating{}; ///< work, and the time on its links, each round as if it had the links for itself
    Seconds exposed{};       ///< work, and waits while its links are in use
    Seconds idle{};          ///< waits while its links are unused, for slower ranks, or time after its last action
};

struct Timeline {
    std::vector<RankTime> ranks; ///< by rank class
    Seconds makespan{};
    int last = 0; ///< the rank class that computes and communicates longest; its exposed communication is that of the
                  ///< step

    [[nodiscard]] const RankTime &critical() const { return ranks[static_cast<std::size_t>(last)]; }
};

[[nodiscard]] Timeline simulate(const Program &program);

/// For each layer: the work of one rank for its collectives plus the waits for them, with exposed communication and
/// idle time together.
[[nodiscard]] std::map<std::string, Seconds> waiting_by_layer(const Program &program, const RankTime &rank);

} // namespace planc::timeline
