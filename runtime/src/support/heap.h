// The C library's heap while a program trains or predicts.
#pragma once

namespace planrt {

/// From now on what is freed stays with the process, and what is asked for comes from there. MPI takes room as large as
/// the vector for each all-reduce and gives it back: were it the kernel's each time, every page would be cleared and
/// mapped anew, which takes longer than the exchange. Does nothing where the C library is not glibc.
void keep_freed_memory();

} // namespace planrt
