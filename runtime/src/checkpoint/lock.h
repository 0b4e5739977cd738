// A lock, so that only one run at a time writes to a directory of checkpoints.
#pragma once

#include <string>

namespace planrt {

/// The file DIR/lock, locked by the process that made it. The lock ends with the process, however that ends. It also
/// works between machines if the file system supports locks; otherwise it excludes nobody.
class DirectoryLock {
  public:
    /// Waits some seconds for a run that is about to end. Errors: Failure if the directory cannot be written, or if
    /// another run continues.
    explicit DirectoryLock(const std::string &directory);
    DirectoryLock(const DirectoryLock &) = delete;
    DirectoryLock &operator=(const DirectoryLock &) = delete;
    /// Removes the file.
    ~DirectoryLock();

  private:
    [[nodiscard]] bool acquire();
    [[nodiscard]] std::string holder() const;
    void write_holder() const;

    std::string path_;
    int descriptor_ = -1;
};

} // namespace planrt
