// A machine as a SimGrid platform: the hosts and links of its ranks, and the timing of messages.
//
// A message of n bytes takes latency + n / bandwidth, as in the cost model: there are no factors by size and no TCP
// congestion. Links are full duplex, and simultaneous messages share a link. The machine becomes these links:
// - A star has one link up and one link down for each rank, with half of the latency each.
// - In a hierarchy, the ranks of a node communicate over links of their own. What leaves a unit takes the unit's link
//   up, which is as wide as all links of the unit together; each message uses at most the width of one. The latency of
//   a message is that of the outermost level that it passes.
// - On a torus each hop takes the latency; the cost model has it once per message.
#pragma once

#include "cost/machine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::smpi {

/// Why SimGrid cannot represent the machine, "SimGrid has no meshes"; empty if it can.
[[nodiscard]] std::string unsupported(const cost::Machine &machine, std::int64_t ranks);

/// XML of SimGrid's platform format 4.1, with a host "rank0", … for each rank.
[[nodiscard]] std::string platform(const cost::Machine &machine, std::int64_t ranks);
/// One host name per line, in the order of ranks.
[[nodiscard]] std::string host_file(std::int64_t ranks);
/// "a star", "2 levels", "a torus of 4 x 4".
[[nodiscard]] std::string platform_words(const cost::Machine &machine);

/// Options of smpirun under which messages take the times above and nothing else takes time.
[[nodiscard]] std::vector<std::string> smpirun_options();

} // namespace planc::smpi
