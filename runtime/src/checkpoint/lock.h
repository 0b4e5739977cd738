// One run at a time writes to a directory of checkpoints.
#pragma once

#include <string>

namespace planrt {

/// The file DIR/lock, locked by the process that made it: the lock goes with the process, however that ends, and holds
/// between machines too where the file system knows locks (where not, it holds nobody).
class DirectoryLock {
  public:
    /// Waits some seconds for a run that is just ending. Errors: Failure, where the directory cannot be written or
    /// another run goes on.
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
