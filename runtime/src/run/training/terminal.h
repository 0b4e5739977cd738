// Whether a person watches.
#pragma once

namespace planrt {

/// True where the standard output ends at a terminal. mpirun gives its processes a pseudo-terminal in any case; then
/// its own output decides.
[[nodiscard]] bool output_is_terminal();

} // namespace planrt
