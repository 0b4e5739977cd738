#include "support/heap.h"

#include <cstdlib> // defines which C library it is
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace planrt {

void keep_freed_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0); // a threshold cannot be above 32 MiB
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

} // namespace planrt
