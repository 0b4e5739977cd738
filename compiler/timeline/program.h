// What every rank does in one training step, with the seconds of it: plain data, read from a schedule
// (read_schedule.h) or written by a test. All ranks of one role do the same actions in the same order; what differs is
// how long they take, and with whom a rank communicates.
//
// Example: two ranks compute for 3 s and 5 s, then reduce in one round of 2 s, beside a kernel of 1 s:
//   classes      {rank 0}, {rank 1}
//   kernels      {"a", {3, 5}}, {"b", {1, 1}}
//   collectives  {"all-reduce", groups {{members 0 and 1, both send and receive, 1 round, 2 s}}, group_of {0, 0}}
//   actions      {compute a, start 0, compute b, wait 0}, of the one role
#pragma once

#include "support/units.h"

#include <planrt/trace_names.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::timeline {

using support::Seconds;

/// Ranks that do the same things at the same times (rank_classes.h): one of them is simulated for all.
struct RankClass {
    int first = 0; ///< the least of them
    int ranks = 1; ///< how many they are
    int role = 0;  ///< index in Program::actions
};

/// "rank 0", "rank 4 (of 12 alike)".
[[nodiscard]] std::string rank_words(const RankClass &ranks);

struct Kernel {
    std::string name; ///< "product", "loops: add, relu"
    std::string layer;
    std::string phase;            ///< "forward", "weight gradient", …
    std::vector<Seconds> seconds; ///< by rank class; 0 of those of other roles
};

/// A collective among one group of ranks; groups with members of the same classes are one.
struct Group {
    std::vector<int> members; ///< rank classes, each once
    std::vector<int> senders; ///< of them, those whose links out are in use
    int rounds = 1;           ///< of messages, one after the other, equally long
    Seconds seconds{};        ///< all rounds together, latencies included
    Seconds latency{};        ///< all rounds together: the part in which messages are on their way and use no link
    std::vector<int> receivers = {}; ///< those whose links in are in use
    bool stays_inside = true;        ///< links among the ranks of a node, the machine's innermost level, are in use;
    bool leaves = false;             ///< links that leave it, which are others
};

/// One start of a collective in the step.
struct Collective {
    std::string name;  ///< "all-reduce of gradient of h1.w"
    std::string layer; ///< of a bucket: "h1, h2"
    std::string phase;
    std::vector<Group> groups;
    std::vector<int> group_of; ///< by rank class; -1: takes no part
    /// By rank class: the work of its processor for the collective, before the rest is on its links; not in the groups'
    /// seconds.
    std::vector<Seconds> work = {}; ///< empty: nothing
    bool between_roles = false;
    int micro_batch = 0;
    /// A gather in pieces: a round but the first begins only when its members wait for the round before.
    bool staged = false;
};

/// A run of a body on a micro-batch: of a pipeline, an action of its schedule.
struct Run {
    std::string name; ///< "F3", "F3.5" (planrt::run_name())
    planrt::BodyKind kind = planrt::BodyKind::forward;
    int stage = 0;
    int micro_batch = 0;
};

enum class ActionKind : std::uint8_t {
    compute,
    start,    ///< of a collective
    progress, ///< what is under way may go on to its next round
    wait      ///< until a collective is complete, or so many of its rounds
};

struct Action {
    ActionKind kind = ActionKind::compute;
    int index = 0;  ///< of the kernel or collective; of progress points 0
    int run = -1;   ///< in Program::runs; -1: between bodies
    int rounds = 0; ///< of a wait; 0: all
};

struct Program {
    std::vector<RankClass> classes;
    std::vector<Kernel> kernels;
    std::vector<Collective> collectives;      ///< each started once and waited for once by each that takes part
    std::vector<std::vector<Action>> actions; ///< by role
    std::vector<Run> runs = {};
    std::vector<std::string> roles = {}; ///< names, if there are several: "stage 0"
    int micro_batches = 1;

    /// Whether its runs tell more than that a step has a forward pass, a backward pass and an update.
    [[nodiscard]] bool has_schedule() const { return actions.size() > 1 || micro_batches > 1; }
    /// "stage 0: rank 4 (of 2 alike)".
    [[nodiscard]] std::string name(const RankClass &ranks) const;
};

/// The same program with every wait right after its start, so that nothing overlaps. Transfers between roles stay as
/// they are, because their senders and receivers would wait for each other.
[[nodiscard]] Program without_overlap(const Program &program);

} // namespace planc::timeline
