// The cores of a machine and the threads that compute on them: measured times say something of predicted ones only
// where each thread has a core.
#pragma once

#include <string>

namespace planrt {

struct CoresOfMachine {
    int ranks = 1;
    int threads = 1; ///< of these ranks
    int cores = 1;   ///< that one of the ranks or more may run on, as the operating system counts them
};

/// Of this rank's machine. Collective over the world.
[[nodiscard]] CoresOfMachine cores_of_machine(int threads);

/// Why times are longer than predicted: a line; empty where there is a core for each thread.
///
/// Example: {4, 4, 2} gives "4 ranks share 2 cores: …".
[[nodiscard]] std::string too_few_cores(const CoresOfMachine &machine);

} // namespace planrt
