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
    /// Removes files that killed runs began to write. Only for the one run that writes here (lock.h). Errors: Failure.
    void remove_begun() const;
    /// Steps of the files, ascending; empty if there is no directory. Errors: Failure.
    [[nodiscard]] std::vector<std::int64_t> steps() const;
    /// The step of the newest complete file; -1 if there is none. Reports in `damaged` what is wrong with newer ones.
    /// Errors: Failure.
    [[nodiscard]] std::int64_t newest(std::vector<std::string> &damaged) const;
    /// Removes all but the last `kept` files of the steps up to `step`; newer ones are damaged. Files that cannot be
    /// removed stay.
    void prune(std::int64_t kept, std::int64_t step) const;

  private:
    std::string path_;
};

} // namespace planrt
