// Whether a person watches the output.
#pragma once

namespace planrt {

/// Whether standard output is a terminal. mpirun always gives its processes a pseudo-terminal; in that case, mpirun's
/// own output decides.
[[nodiscard]] bool output_is_terminal();

} // namespace planrt
