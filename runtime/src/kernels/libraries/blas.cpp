#include "kernels/libraries/blas.h"

#include "kernels/libraries/onednn.h"
#include "support/failure.h"

#include <planrt/parallel.h>

#include <dlfcn.h>

#include <cstdlib>
#include <limits>

namespace planrt {

namespace {

Blas loaded;

template <class Function> void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr)
        throw Failure(text("OpenBLAS has no function %s: %s", name, dlerror()));
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
    char *(*core_name)() = nullptr;
    find(library, "openblas_get_corename", core_name);
    loaded.core = core_name();
    loaded.most_for_onednn = has_avx512() ? std::numeric_limits<std::int64_t>::max() : 128 * 128 * 128;
    load_onednn();
}

} // namespace planrt
