#include "kernels/libraries/blas.h"

#include "kernels/libraries/onednn.h"
#include "support/failure.h"

#include <planrt/parallel.h>

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

namespace planrt {

namespace {

Blas loaded;

template <class Function> void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr)
        throw Failure(text("OpenBLAS has no function %s: %s", name, dlerror()));
}

/// OpenBLAS maps a buffer for each concurrent call when it first needs one, and if it gets none, it tries again
/// forever. The buffers of all threads are therefore mapped here, where a lack of memory can still be reported.
void map_buffers(void *library, int threads) {
    constexpr std::size_t buffer = std::size_t{128} << 20; // BUFFER_SIZE of OpenBLAS on x86_64 and ARM64
    constexpr int most_buffers = 64;                       // OpenBLAS itself has room for some more
    const auto buffers = static_cast<std::size_t>(std::min(threads, most_buffers));
    void *tried = mmap(nullptr, buffers * buffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (tried == MAP_FAILED)
        throw Failure(
            text("out of memory: OpenBLAS wants %zu MiB of address space, for the buffers of %d %s (ulimit -v?)",
                 buffers * buffer >> 20, threads, threads == 1 ? "thread" : "threads"));
    munmap(tried, buffers * buffer);
    // Not every build has these functions. A buffer that was freed stays mapped.
    const auto allocate = reinterpret_cast<void *(*)(int)>(dlsym(library, "blas_memory_alloc"));
    const auto release = reinterpret_cast<void (*)(void *)>(dlsym(library, "blas_memory_free"));
    if (allocate == nullptr || release == nullptr)
        return;
    std::vector<void *> mapped;
    for (std::size_t i = 0; i < buffers; ++i)
        mapped.push_back(allocate(0));
    for (void *each : mapped)
        release(each);
}

} // namespace

const Blas &blas() {
    return loaded;
}

bool has_avx512() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

const char *suitable_core_type() {
    if (has_avx512())
        return "SkylakeX";
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "Haswell";
#endif
    return nullptr;
}

void load_blas(int threads) {
    if (const char *core = suitable_core_type())
        setenv("OPENBLAS_CORETYPE", core, /*overwrite=*/0);
    setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/1); // threads are ours: see multiply_on_threads()
    set_thread_count(threads);
    void *library = nullptr;
    for (const char *name : {"libopenblas.so.0", "libopenblas.so"})
        if (library == nullptr)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw Failure(text("cannot load OpenBLAS (Debian: apt-get install libopenblas0-pthread): %s", dlerror()));
    find(library, "cblas_sgemm", loaded.sgemm);
    find(library, "cblas_dgemm", loaded.dgemm);
    void (*set_threads)(int) = nullptr;
    find(library, "openblas_set_num_threads", set_threads);
    set_threads(1);
    map_buffers(library, threads);
    char *(*core_name)() = nullptr;
    find(library, "openblas_get_corename", core_name);
    loaded.core = core_name();
    loaded.most_for_onednn = has_avx512() ? std::numeric_limits<std::int64_t>::max() : 128 * 128 * 128;
    load_onednn();
}

} // namespace planrt
