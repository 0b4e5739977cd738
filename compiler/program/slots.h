// Slots of the micro-batches of a pipeline.
#pragma once

#include "pipeline/schedule.h"

#include <vector>

namespace planc::program {

/// By rank and micro-batch, the slot that the micro-batch takes there: from its first action to its last, and until
/// what was sent from it has been received. -1: the micro-batch has no action there.
///
/// A rank that needs the slot of an earlier micro-batch waits until what that has sent is received, and the receiver
/// may come to it only after something that the rank is yet to send. Slots are such that there is an order of all
/// actions in which no rank waits, so that no ranks wait for each other. A rank has as many slots as micro-batches
/// between first and last action at a time; more only where these could not do.
///
/// Micro-batches of different replicas of the weights may have the same slot at the same time: they run different
/// stages, which have places of their own. Where there are several replicas, the last micro-batch of each has slot 0.
[[nodiscard]] std::vector<std::vector<int>> slots_of(const pipeline::Schedule &schedule);

/// The number of slots of a rank, at least 1. `slots`: by micro-batch.
[[nodiscard]] int slot_count(const std::vector<int> &slots);

} // namespace planc::program
