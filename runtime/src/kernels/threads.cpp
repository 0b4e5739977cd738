// The threads of a rank. Between loops they sleep after a short while, because other ranks may need the processors.
#include <planrt/parallel.h>

#include "support/failure.h"

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace planrt {

namespace {

/// Rounds of waiting before a thread sleeps: about ten microseconds.
constexpr int patience = 1000;

void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

/// Waits while the number is `old`.
void wait_for_change(const std::atomic<unsigned> &number, unsigned old) {
    for (int round = 0; round < patience; ++round) {
        if (number.load(std::memory_order_acquire) != old)
            return;
        pause();
    }
    number.wait(old, std::memory_order_acquire);
}

class Pool {
  public:
    explicit Pool(int threads) {
        try {
            for (int worker = 1; worker < threads; ++worker)
                workers_.emplace_back([this, worker] { work(worker); });
        } catch (const std::system_error &) {
            end();
            throw Failure(
                text("%d threads cannot be started: the system has none left, or no memory for them", threads));
        }
    }
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    ~Pool() { end(); }

    void run(int parts, void (*call)(const void *, int), const void *data) {
        parts_ = parts;
        call_ = call;
        data_ = data;
        left_.store(static_cast<unsigned>(workers_.size()), std::memory_order_relaxed);
        start();
        call(data, 0);
        for (unsigned left = left_.load(std::memory_order_acquire); left != 0;
             left = left_.load(std::memory_order_acquire))
            wait_for_change(left_, left);
    }

  private:
    void end() {
        parts_ = 0;
        start();
        for (std::thread &worker : workers_)
            worker.join();
    }

    void start() {
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
    }

    void work(int worker) {
        for (unsigned seen = 0;; ++seen) {
            wait_for_change(round_, seen);
            if (parts_ == 0) // the end
                return;
            if (worker < parts_)
                call_(data_, worker);
            if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
                left_.notify_one();
        }
    }

    std::vector<std::thread> workers_;
    std::atomic<unsigned> round_ = 0; ///< loops begun
    std::atomic<unsigned> left_ = 0;  ///< workers that have not done their part of it
    int parts_ = 0;
    void (*call_)(const void *, int) = nullptr;
    const void *data_ = nullptr;
};

std::unique_ptr<Pool> pool;
int threads_of_rank = 1;

} // namespace

int thread_count() {
    return threads_of_rank;
}

void set_thread_count(int threads) {
    pool.reset();
    threads_of_rank = 1;
    if (threads > 1)
        pool = std::make_unique<Pool>(threads);
    threads_of_rank = threads;
}

void run_parts(int parts, void (*call)(const void *data, int part), const void *data) {
    pool->run(parts, call, data);
}

} // namespace planrt
