// Settings of the C library's heap while a program trains or predicts.
#pragma once

namespace planrt {

/// From now on, freed memory stays with the process and serves later allocations. For each all-reduce MPI allocates and
/// frees as much as the vector; if the kernel provided that memory each time, clearing and mapping the pages would take
/// longer than the exchange. Does nothing if the C library is not glibc.
void keep_freed_memory();

} // namespace planrt
