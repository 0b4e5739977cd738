// Checks the tables of a step program and what is in its buffers, regardless of its maker.
#pragma once

#include "program/program.h"

#include <string>

namespace planc::program {

/// Returns an empty text, or the first table entry that refers to something that does not exist. Everything else about
/// a program may be asked only if there is none.
[[nodiscard]] std::string broken_reference(const Program &program);

/// Returns an empty text, or the first fault, with its action. It checks that
/// - all references hold, the names of bodies and of transfers are unique, and several slots have a size;
/// - every rank of the mesh has exactly one role, and everything that an action names exists and belongs to its role;
/// - when a body runs, the values that it takes are there, in the slot of the action and of its micro-batch;
/// - a sent value is there, and is not overwritten before a `wait`; a buffer that receives is not in use.
/// Whether roles send what others receive, in the same order, and whether they come to an end, is proven of the events
/// of ranks (messages/prove.h): it depends on what each rank sends, and on the collectives of bodies.
[[nodiscard]] std::string fault(const Program &program, const planrt::Mesh &mesh);

} // namespace planc::program
