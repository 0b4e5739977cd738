// Pipeline schedules as CSV files of PyTorch: what torch.distributed.pipelining writes with _dump_csv and reads with
// _load_csv (torch/distributed/pipelining/schedules.py).
//
//   0F0,0F1,,,0B0,0B1
//   ,1F0,1B0,1F1,1B1
//
// A row for each rank. A cell is stage, kind, micro-batch: F forward, B full backward, I gradient of the input, W
// gradient of the weights; or it is empty: the rank is idle.
#pragma once

#include "pipeline/schedule.h"

#include <string>
#include <string_view>

namespace planc::pipeline {

/// In the format "compute_only", with one column for each step in which every action takes one: an action's column is
/// after those of all that it needs. Name and weights are not part of the format. The schedule has no fault().
[[nodiscard]] std::string csv(const Schedule &schedule);

/// The inverse, for schedules with synchronous weights. Also reads the format "compute_comms": cells of communication
/// (SEND_F, RECV_F, SEND_B, RECV_B, UNSHARD, RESHARD, REDUCE_GRAD) are skipped, and a pair `(0F1;3B0)OVERLAP_F_B` is
/// read as its actions in order. In files of PyTorch 2.5 a full backward is BW, and B is I where the stage has a W of
/// the micro-batch. Which rank has which stage follows as in read_text(). Throws std::invalid_argument:
/// "line 2, column 7: …" about the cell that is wrong, or the fault() of the whole.
[[nodiscard]] Schedule read_csv(std::string_view text, std::string name);

} // namespace planc::pipeline
