#include <planrt/parallel.h>

namespace planrt {

namespace {

int threads_of_rank = 1;

} // namespace

int thread_count() {
    return threads_of_rank;
}

void set_thread_count(int threads) {
    threads_of_rank = threads;
}

} // namespace planrt
