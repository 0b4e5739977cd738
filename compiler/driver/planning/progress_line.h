// One line on a terminal that says how far a search for a plan is, if it takes more than a second. It is erased at the
// end, and the answer does not depend on it.
#pragma once

#include "plan/plan.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace planc::driver {

/// "planning: 5 of 36 meshes with their storages searched, best 1.20 s a step, gap at most 4 %"
[[nodiscard]] std::string progress_text(const plan::Progress &progress);

class ProgressLine {
  public:
    /// Writes only if standard error is a terminal.
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    void show(const plan::Progress &progress);

  private:
    void write();

    std::mutex mutex_;
    std::condition_variable ended_;
    std::optional<plan::Progress> last_;
    bool has_ended_ = false;
    std::thread writer_;
};

} // namespace planc::driver
