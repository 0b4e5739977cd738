// A machine as SimGrid has it: the platform file of its ranks' hosts and links, and how messages are timed on it.
//
// A message of n bytes takes latency + n / bandwidth, as in the cost model: no factors by size, no congestion of TCP.
// Links are full duplex, and messages that are under way on a link at one time share it. Where the cost model has one
// price, SimGrid has these links:
//   - A star is one link up and one down for each rank, with half of the latency each.
//   - Of a hierarchy, ranks of a node talk over links of their own; what leaves a unit takes its link up, which is as
//     wide as all links of the unit, each message taking one of them at most. The latency of a message is that of the
//     outermost level that it passes.
//   - On a torus each hop takes the latency, where the cost model has it once for a message.
#pragma once

#include "cost/machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::smpi {

/// Why SimGrid cannot have the machine, "SimGrid has no meshes"; empty: it can.
[[nodiscard]] std::string unsupported(const cost::Machine &machine, std::int64_t ranks);

/// XML of SimGrid's platform format 4.1, with a host "rank0", … for each rank.
[[nodiscard]] std::string platform(const cost::Machine &machine, std::int64_t ranks);
/// One name a line, in the order of ranks.
[[nodiscard]] std::string host_file(std::int64_t ranks);
/// "a star", "2 levels", "a torus of 4 x 4".
[[nodiscard]] std::string platform_words(const cost::Machine &machine);

/// Options of smpirun under which messages take what stands above and nothing else takes time.
[[nodiscard]] std::vector<std::string> smpirun_options();

} // namespace planc::smpi
