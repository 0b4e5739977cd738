// Whether a step program means something: what must hold of any, whoever made it.
#pragma once

#include "program/program.h"

#include <string>

namespace planc::program {

/// Empty, or the first thing that is wrong, with the action:
///   - every rank of the mesh has one role; what a list of actions names exists and belongs to its role;
///   - a body runs when the values that it takes are there, in the slot of the action, and of its micro-batch;
///   - what is sent is there, and is not written again before a `wait`; what is received is not there already as a
///     buffer of a receive under way; nothing is under way at the end;
///   - the roles that a transfer connects send and receive it for the same micro-batches, in the same order.
/// That no two roles wait for each other is not checked: the interpreter finds it by running.
[[nodiscard]] std::string fault(const Program &program, const planrt::Mesh &mesh);

} // namespace planc::program
