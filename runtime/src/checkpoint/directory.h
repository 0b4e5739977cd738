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

    /// Makes the directory where there is none. Errors: Failure.
    void make() const;
    /// Removes what killed runs began to write; for the one run that writes here (lock.h). Errors: Failure.
    void remove_begun() const;
    /// Steps of the files, ascending; none where there is no directory. Errors: Failure.
    [[nodiscard]] std::vector<std::int64_t> steps() const;
    /// The step of the newest file that is whole; -1: there is none. `damaged` gets what is wrong with newer ones.
    /// Errors: Failure.
    [[nodiscard]] std::int64_t newest(std::vector<std::string> &damaged) const;
    /// Removes all but the last `kept` files of the steps up to `step`; newer ones are damaged. What cannot be removed
    /// stays.
    void prune(std::int64_t kept, std::int64_t step) const;

  private:
    std::string path_;
};

} // namespace planrt
