// The step program: what every rank does in one training step, as plain tables. It is the one description that
// simulation, interpreter, emitter and runtime read; schedule writes it.
//
// A rank has one role. A role is a set of ranks, a box of the mesh, whose ranks all run the same list of actions, in
// its order; ranks of other roles run other lists at the same time. The actions run bodies: pieces of code (functions
// of the scheduled module) without a choice in them, on the micro-batch and the buffers that the action names.
//
// Example: two pipeline stages on the mesh [stages: 2, rows: 4], two micro-batches:
//   role first   ranks with stages 0     0:0 run forward   0:0 send h   1:1 run forward   1:1 send h   …
//   role second  ranks with stages 1     0:0 receive h     0:0 run forward_2   …
// where `1:1 send h` sends the tensor h of micro-batch 1, which lies in slot 1.
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::program {

/// A set of ranks that run the same actions.
struct Role {
    std::string name;        ///< "all"; of pipeline stages "stage 0"
    planrt::Role ranks = {}; ///< which; what lives on the role is placed on their mesh
    /// How many micro-batches have buffers of their own at the same time: slots 0 … slots - 1.
    int slots = 1;
    std::int64_t slot_offset = 0; ///< in the arena: slot 0 begins here, the others behind it
    std::int64_t slot_bytes = 0;  ///< of one slot; 0: there is one, anywhere
};

/// A tensor that outlives the body that makes it, within one micro-batch: passed to a later body, received from another
/// role, or read from the data set. Each slot has one.
struct Value {
    std::string name;
    int role = 0;
    std::int64_t offset = 0; ///< in the arena, in slot 0
};

/// A parameter, a piece of optimizer state, a sum over micro-batches: what outlives the micro-batch.
struct Variable {
    std::string name;
    int role = 0;
};

/// Code of a role: a function of the scheduled module. Collectives among ranks of the role stand in it.
struct Body {
    std::string function;
    int role = 0;
    std::vector<int> takes = {}; ///< values, by the function's arguments
    std::vector<int> gives = {}; ///< values, by the function's results
    std::vector<int> loads = {}; ///< values that are filled from the data set before it runs
};

/// A value of one role becomes a value of another, whatever the layouts of both: each rank of the second gets its block
/// (planrt::exchange()). Both are of the same micro-batch, each in the slot of its role's action.
struct Transfer {
    std::string name;                ///< of what travels
    int from = 0;                    ///< value
    int to = 0;                      ///< value
    std::int64_t scratch_offset = 0; ///< in the arenas of both: where ranks pack, in slot 0
};

/// Samples [first, first + samples) of the global batch.
struct MicroBatch {
    std::int64_t first = 0;
    std::int64_t samples = 0;
    friend bool operator==(const MicroBatch &, const MicroBatch &) = default;
};

enum class ActionKind : std::uint8_t {
    run,      ///< a body
    start,    ///< a receive begins, so that it goes on beside what follows
    wait,     ///< until what was sent has left: its buffer may be written again
    send,     ///< a transfer begins; returns at once
    receive,  ///< begins, if it has not, and waits until the value is there
    progress, ///< what is under way goes on
};

struct Action {
    ActionKind kind = ActionKind::run;
    int index = 0;       ///< run: of the body; progress: 0; else of the transfer
    int micro_batch = 0; ///< that the value or the body belongs to
    int slot = 0;        ///< in which its values lie
    friend bool operator==(const Action &, const Action &) = default;
};

struct Program {
    std::vector<Role> roles;
    std::vector<Variable> variables;
    std::vector<Value> values;
    std::vector<Body> bodies; ///< in the order in which their values come to be
    std::vector<Transfer> transfers;
    std::vector<MicroBatch> micro_batches;
    std::vector<std::vector<Action>> actions; ///< by role
    int loss = -1;                            ///< value: after the step the loss of the whole batch, a scalar

    /// How often a body runs in a step.
    [[nodiscard]] std::int64_t runs(int body) const;
    /// Index of the body with this function; -1: there is none.
    [[nodiscard]] int body_of(const std::string &function) const;
    /// The value's producer: a body's index and the number of the result; {-1, 0}: it is loaded or received.
    struct Producer {
        int body = -1;
        int result = 0;
    };
    [[nodiscard]] Producer producer(int value) const;
};

[[nodiscard]] const char *name(ActionKind kind);

/// "1:0 run forward": micro-batch, slot, what.
[[nodiscard]] std::string text(const Program &program, const Action &action);
/// The other way round. Throws std::invalid_argument, with what is wrong.
[[nodiscard]] Action action(const Program &program, const std::string &text);

} // namespace planc::program
