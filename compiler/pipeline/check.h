// Checks a pipeline schedule, regardless of its maker.
#pragma once

#include "pipeline/schedule.h"

#include <string>

namespace planc::pipeline {

/// Returns an empty text, or the first fault in one sentence, with rank, stage and micro-batch. It checks that
/// - the tables have the sizes that the schedule states, every rank has a stage, every replica has a micro-batch, no
/// two
///   replicas are placed alike, and they are numbered in the order of their first micro-batches;
/// - every action is on the rank of its stage; every stage runs F, and either B or both I and W, once on every
///   micro-batch;
/// - the order is feasible: no ranks wait for each other, and no action is before one that it needs;
/// - the version of the weights that a micro-batch works with exists when its F runs (weights.h).
/// Takes time in proportion to the actions.
[[nodiscard]] std::string fault(const Schedule &schedule);

/// Of a schedule without a fault(): an empty text, or why a step program cannot follow it. It can if
/// - where they change within the step, each stage ends micro-batches in their order, and begins each with the version
///   of weights.h: what the stage has then, or with two versions one of the two that it keeps;
/// - a stage on another rank takes micro-batches in the order in which they are sent, since messages arrive in it;
/// - each stage takes its replica's last micro-batch last, in every kind of action: it ends the sums over
/// micro-batches.
[[nodiscard]] std::string program_fault(const Schedule &schedule);

} // namespace planc::pipeline
