// Makers of pipeline schedules. Each takes any number of ranks and of micro-batches from 1 on, also fewer micro-batches
// than a formula is for: the schedule is then right, whatever its bubble. They throw std::invalid_argument with one
// sentence where a combination is impossible.
//
// The bubbles are those of measure.h with F = I = W = 1, B = 2 on every stage, D ranks, N micro-batches.
#pragma once

#include "pipeline/schedule.h"

namespace planc::pipeline {

/// All forwards, then all backwards (Huang et al., GPipe, NeurIPS 2019). Bubble 3(D - 1); N micro-batches alive.
[[nodiscard]] Schedule gpipe(int ranks, int micro_batches);

/// PipeDream-flush, DAPPLE: after D - s forwards, stage s alternates. Bubble 3(D - 1); min(D - s, N) alive on stage s.
[[nodiscard]] Schedule one_f_one_b(int ranks, int micro_batches);

/// Interleaved 1F1B: `chunks` stages on each rank, stage s on rank s modulo D (Narayanan et al., Efficient Large-Scale
/// Language Model Training on GPU Clusters, SC 2021). For N a multiple of D: bubble that of 1F1B divided by the chunks;
/// at most D(chunks + 1) - 1 chunks alive on rank 0. For other N it is the schedule of the next multiple of D without
/// the surplus micro-batches.
[[nodiscard]] Schedule interleaved(int ranks, int chunks, int micro_batches);

/// ZB-H1 (Qi et al., Zero Bubble Pipeline Parallelism, 2023, section 2): at most D alive on every stage. For N >= D the
/// bubble is (D - 1)(F + I - W) where W <= I, else (D - 1)F.
[[nodiscard]] Schedule zero_bubble(int ranks, int micro_batches);

/// ZB-H2: at most 2D - 1 alive. For N >= 2D - 1 the bubble is (D - 1)(F + I - 2W), but not below 0, in steps that
/// follow each other without a barrier; it is D - 1 with one.
[[nodiscard]] Schedule zero_bubble_2(int ranks, int micro_batches);

/// ZB-V (Qi et al., Pipeline Parallelism with Controllable Memory, 2024): stages s and 2D - 1 - s on rank s. For N >=
/// 2D - 1 the bubble is 0 without a barrier; with one it is the time of D - 1 chunks. At most 2D chunks alive. For
/// fewer micro-batches it is the schedule of 2D - 1 without the surplus ones.
[[nodiscard]] Schedule zb_v(int ranks, int micro_batches);

/// Two replicas of the stages on the same ranks, in opposite directions; micro-batch m takes replica m modulo 2 (Li,
/// Hoefler, Chimera, SC 2021). D is even. For N a multiple of D and F = B = 1 its makespan is 2N + D - 2. At most
/// D alive on a rank, min(D - s, D / 2) on stage s of each replica.
[[nodiscard]] Schedule chimera(int ranks, int micro_batches);

/// PipeDream with weight stashing: the order of 1F1B for a run of N micro-batches, with an update after each of them
/// and no flush within the run. D - s versions of the weights on stage s.
[[nodiscard]] Schedule pipedream(int ranks, int micro_batches);

/// PipeDream-2BW: as pipedream(), with an update after each `accumulated` micro-batches, and two versions of the
/// weights. `accumulated` is at least D - 1, so that two versions suffice, and at least 1.
[[nodiscard]] Schedule pipedream_2bw(int ranks, int micro_batches, int accumulated);

/// Whether a layout's schedule is a table, as in text.h, and not the name of a maker.
[[nodiscard]] bool is_table(const std::string &schedule);

/// "pipedream_2bw(4)", the schedule with 4 accumulated micro-batches as a layout's schedule is called.
[[nodiscard]] std::string two_versions_name(int accumulated);

/// When the weights change in a layout's schedule. Throws std::invalid_argument for a table that is wrong.
[[nodiscard]] Updates updates_of(const std::string &schedule);

/// A layout's schedule: a table, or one of the makers above, "pipedream_2bw" by its two_versions_name(); `chunks`
/// counts only for "interleaved". Throws std::invalid_argument for another name, for a table of other numbers, or where
/// the maker does.
[[nodiscard]] Schedule made_by(const std::string &name, int ranks, int chunks, int micro_batches);

} // namespace planc::pipeline
