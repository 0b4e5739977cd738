// What is wrong with the events of ranks.
#pragma once

#include <cstdint>
#include <string>

namespace planc::messages {

enum class FaultKind : std::uint8_t {
    none,
    not_begun,          ///< a wait for what was not begun
    begun_twice,        ///< begun again in the same slot before it was waited for
    left_open,          ///< begun and not waited for
    unmatched_send,     ///< no receive for a send
    unmatched_receive,  ///< no send for a receive
    wrong_tag,          ///< a send and a receive between two ranks differ in their tags only
    wrong_communicator, ///< they differ in their communicators
    wrong_size,         ///< matching messages have unequal bytes
    wrong_micro_batch,  ///< matching messages belong to unlike micro-batches: the order differs
    no_member,          ///< a rank begins a collective of whose groups it is no member
    wrong_collective,   ///< members of a communicator call unlike collectives, or the same in unlike orders
    missing_collective, ///< a member calls fewer collectives than another
    cycle,              ///< ranks wait for each other
};

struct Fault {
    FaultKind kind = FaultKind::none;
    std::string text; ///< one sentence: ranks, roles, operation, micro-batch

    explicit operator bool() const { return kind != FaultKind::none; }
};

} // namespace planc::messages
