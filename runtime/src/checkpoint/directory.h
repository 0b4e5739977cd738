// The checkpoints of one run: DIR/step-00000040.safetensors, the newest last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planrt {

class CheckpointDirectory {
  public:
    explicit CheckpointDirectory(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string &path() const { return path_; }
    [[nodiscard]] std::string file(std::int64_t step) const;

    /// Makes the directory if there is none. Errors: Failure.
    void make() const;
    /// Removes files that killed runs left incomplete. Only the run that holds the lock of the directory (lock.h) may
    /// call it. Errors: Failure.
    void remove_begun() const;
    /// Steps of the files, ascending; empty if there is no directory. Errors: Failure.
    [[nodiscard]] std::vector<std::int64_t> steps() const;
    /// The step of the newest complete file; -1 if there is none. Appends the errors of newer, damaged files to
    /// `damaged`. Errors: Failure.
    [[nodiscard]] std::int64_t newest(std::vector<std::string> &damaged) const;
    /// Removes all but the last `kept` files of the steps up to `step`. Newer files, which are damaged, stay, and so do
    /// files that cannot be removed.
    void prune(std::int64_t kept, std::int64_t step) const;

  private:
    std::string path_;
};

} // namespace planrt
