// The cores of a machine and the threads that compute on them: measured times can be compared with predicted ones only
// if each thread has a core.
#pragma once

#include <string>

namespace planrt {

struct CoresOfMachine {
    int ranks = 1;
    int threads = 1; ///< of these ranks
    int cores = 1;   ///< that one of the ranks or more may run on, as the operating system counts them
};

/// Counts the cores and threads of this rank's machine. Collective over the world.
[[nodiscard]] CoresOfMachine cores_of_machine(int threads);

/// A line that explains why times are longer than predicted; empty if there is a core for each thread.
///
/// Example: {4, 4, 2} gives "4 ranks share 2 cores: …".
[[nodiscard]] std::string too_few_cores(const CoresOfMachine &machine);

} // namespace planrt
