#include "driver/planning/progress_line.h"

#include "cost/reports/report.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <iostream>

namespace planc::driver {

namespace {

constexpr std::chrono::milliseconds first_after{1000};
constexpr std::chrono::milliseconds then_every{250};

} // namespace

std::string progress_text(const plan::Progress &progress) {
    std::string text = "planning: " + std::to_string(progress.searched) + " of " + std::to_string(progress.all) +
                       " meshes with their storages searched";
    if (std::isfinite(progress.best.value)) {
        text += ", best " + cost::human_seconds(progress.best) + " a step";
        if (progress.best.value > 0)
            text += ", gap at most " + cost::percent((progress.best - progress.bound) / progress.best);
    }
    return text;
}

ProgressLine::ProgressLine() {
    if (isatty(STDERR_FILENO) == 1)
        writer_ = std::thread([this] { write(); });
}

ProgressLine::~ProgressLine() {
    if (!writer_.joinable())
        return;
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    ended_.notify_all();
    writer_.join();
}

void ProgressLine::show(const plan::Progress &progress) {
    const std::lock_guard lock(mutex_);
    last_ = progress;
}

void ProgressLine::write() {
    std::unique_lock lock(mutex_);
    bool has_written = false;
    for (auto wait = first_after; !ended_.wait_for(lock, wait, [this] { return has_ended_; }); wait = then_every) {
        std::cerr << "\r\033[K" << (last_ ? progress_text(*last_) : "planning") << std::flush;
        has_written = true;
    }
    if (has_written)
        std::cerr << "\r\033[K" << std::flush;
}

} // namespace planc::driver
