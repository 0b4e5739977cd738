// The step program: what every rank does in one training step, as plain tables. Schedule writes it; simulation,
// interpreter, emitter and runtime read it.
//
// A rank has one role. A role is a set of ranks, a box of the mesh, that all run the same list of actions in its order;
// ranks of other roles run other lists at the same time. Actions run bodies: functions of the scheduled module without
// branches, on the micro-batch and the buffers that the action names.
//
// Example: two pipeline stages on the mesh [stages: 2, rows: 4], two micro-batches:
//   role first   ranks with stages 0     0:0 run forward   0:0 send h   1:1 run forward   1:1 send h   …
//   role second  ranks with stages 1     0:0 receive h     0:0 run forward_2   …
// where `1:1 send h` sends the tensor h of micro-batch 1, which lies in slot 1.
#pragma once

#include <planrt/layout.h>
#include <planrt/trace_names.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::program {

/// A set of ranks that run the same actions.
struct Role {
    std::string name;        ///< "all"; for a pipeline stage "stage 0"
    planrt::Role ranks = {}; ///< the ranks; values of the role are placed on their mesh
    /// The number of micro-batches that have separate buffers at the same time: slots 0 … slots - 1.
    int slots = 1;
    std::int64_t slot_offset = 0; ///< in the arena: where slot 0 begins; the others follow
    std::int64_t slot_bytes = 0;  ///< of one slot; 0: the role has one slot, the whole arena
};

/// A tensor that outlives the body that makes it, within one micro-batch: it is passed to a later body, received from
/// another role, or read from the data set. Each slot has its own.
struct Value {
    std::string name;
    int role = 0;
    std::int64_t offset = 0; ///< in the arena, in slot 0
};

/// A parameter, a part of the optimizer's state, or a sum over micro-batches: it outlives the micro-batch.
struct Variable {
    std::string name;
    int role = 0;
};

/// The code of a role: a function of the scheduled module. It contains the collectives among the ranks of the role.
struct Body {
    std::string function;
    int role = 0;
    std::vector<int> takes = {}; ///< values, by the function's arguments
    std::vector<int> gives = {}; ///< values, by the function's results
    std::vector<int> loads = {}; ///< values that are filled from the data set before it runs
    planrt::BodyKind kind = planrt::BodyKind::forward;
    int stage = 0; ///< of a pipeline
};

/// Turns a value of one role into a value of another, whatever their layouts: each rank of the second role gets its
/// block (planrt::exchange()). Both belong to the same micro-batch, each in the slot of its role's action. Within a
/// role, which may have several stages of a pipeline, it moves from one place of the slot to another.
struct Transfer {
    std::string name;                   ///< of the transferred tensor; no two transfers have the same
    int from = 0;                       ///< value
    int to = 0;                         ///< value
    std::int64_t scratch_offset = 0;    ///< where sending ranks pack, in slot 0 of their arena
    std::int64_t to_scratch_offset = 0; ///< where receiving ranks unpack from, in slot 0 of theirs
};

/// Samples [first, first + samples) of the global batch.
struct MicroBatch {
    std::int64_t first = 0;
    std::int64_t samples = 0;
    int update = 0; ///< which update of the step takes its gradients; there are several where weights change within it
    friend bool operator==(const MicroBatch &, const MicroBatch &) = default;
};

enum class ActionKind : std::uint8_t {
    run,      ///< a body
    start,    ///< begins a receive, so that it proceeds during the following actions
    wait,     ///< waits until sent values have left, so that their buffers may be overwritten
    send,     ///< begins a transfer and returns at once
    receive,  ///< begins the transfer if `start` did not, and waits until the value is there
    progress, ///< lets active transfers advance
    move,     ///< a transfer within the role, from beginning to end
};

struct Action {
    ActionKind kind = ActionKind::run;
    int index = 0;       ///< run: of the body; progress: 0; else of the transfer
    int micro_batch = 0; ///< of the value or the body
    int slot = 0;        ///< of its values
    friend bool operator==(const Action &, const Action &) = default;
};

struct Program {
    std::vector<Role> roles;
    std::vector<Variable> variables;
    std::vector<Value> values;
    std::vector<Body> bodies; ///< in the order in which their values are produced
    std::vector<Transfer> transfers;
    std::vector<MicroBatch> micro_batches;
    /// With replicas of the weights: the last micro-batch of each. What updates give each other belongs to all of
    /// these.
    std::vector<int> last_of_replicas = {};
    std::vector<std::vector<Action>> actions; ///< by role
    int loss = -1;                            ///< value: the loss of the whole batch after the step, a scalar

    /// The micro-batch to which what is passed on belongs: one for all with which replicas end.
    [[nodiscard]] int owner(int micro_batch) const;
    /// The number of updates of the weights in a step.
    [[nodiscard]] int updates() const { return micro_batches.empty() ? 1 : micro_batches.back().update + 1; }
    /// The number of times that a body runs in a step.
    [[nodiscard]] std::int64_t runs(int body) const;
    /// The index of the body with this function; -1 if there is none.
    [[nodiscard]] int body_of(const std::string &function) const;
    /// Whether the names of its runs say the stage: where it has another one than that of its own number.
    [[nodiscard]] bool names_stages(int role) const;
};

[[nodiscard]] const char *name(ActionKind kind);

/// "1:0 run forward": micro-batch, slot, what.
[[nodiscard]] std::string text(const Program &program, const Action &action);
/// The inverse. Throws std::invalid_argument with what is wrong.
[[nodiscard]] Action action(const Program &program, const std::string &text);

} // namespace planc::program
