// The events of a step program: what each of its actions begins and waits for, as the runtime does it
// (runtime/src/run/engine/engine.cpp).
#pragma once

#include "messages/events.h"
#include "program/program.h"

#include <planrt/layout.h>

#include <cstdint>
#include <string>
#include <vector>

namespace planc::messages {

/// Adds what a rank does in an exchange.
void add_messages(std::vector<Message> &messages, int rank, const planrt::Exchange &exchange, int element_bytes);

/// A collective or an exchange that bodies start, among the ranks of their role.
struct Started {
    std::string name;
    int number = 0; ///< in the tables of the emitted program; tags depend on it
    planrt::CollectiveKind kind = planrt::CollectiveKind::all_reduce; ///< no slice, in which nothing is sent
    std::vector<int> axes = {};           ///< of a collective: of its groups, in the order of planrt::block_axes()
    bool by_messages = false;             ///< of a collective: not by MPI's own call
    std::vector<std::int64_t> bytes = {}; ///< of a collective: by rank within the role, or one entry for all
    std::vector<Message> messages = {};   ///< of an exchange, without tags; ranks are those within the role
    bool in_slots = true;                 ///< it has a place in each slot, so that it may be under way in several
};

/// What a body does, in order.
struct BodyStep {
    bool waits = false; ///< otherwise starts
    int started = 0;    ///< index of Communication::started
};

/// A transfer between roles.
struct Transferred {
    std::string name;
    int number = 0;
    std::vector<Message> messages = {}; ///< ascending by rank, without tags
};

/// What the tables of a program do not say.
struct Communication {
    std::vector<Started> started;
    std::vector<std::vector<BodyStep>> bodies; ///< by body of the program
    std::vector<Transferred> transfers;        ///< by transfer of the program
};

/// One table for each role. The program has no program::fault(). A collective by messages is one collective of its
/// group that matches by its tag alone: its rounds match each other (planrt/steps.h), and they advance while a rank
/// waits.
[[nodiscard]] Events events_of(const program::Program &program, const planrt::Mesh &mesh,
                               const Communication &communication);

} // namespace planc::messages
