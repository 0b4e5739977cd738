#include "checkpoint/lock.h"

#include "support/failure.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace planrt {

namespace {

/// A killed mpirun leaves its ranks behind for a second or two.
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds pause{20};

} // namespace

DirectoryLock::DirectoryLock(const std::string &directory) : path_(directory + "/lock") {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!acquire()) {
        if (std::chrono::steady_clock::now() > end) {
            const std::string other = holder();
            ::close(descriptor_);
            throw Failure(directory + ": another run writes its checkpoints there" + other);
        }
        std::this_thread::sleep_for(pause);
    }
    write_holder();
}

DirectoryLock::~DirectoryLock() {
    unlink(path_.c_str());
    ::close(descriptor_);
}

/// Acquires the lock. Returns false if another process has it.
bool DirectoryLock::acquire() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
        throw Failure(text("cannot write %s: %s", path_.c_str(), std::strerror(errno)));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR))
        return false;
    // The previous holder may have removed the file between our two calls; then our file no longer has a name.
    struct stat ours{};
    struct stat named{};
    return fstat(descriptor_, &ours) == 0 && stat(path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino;
}

/// " (process 17 on host)", as written by the holder.
std::string DirectoryLock::holder() const {
    std::array<char, 300> words{};
    const ssize_t count = pread(descriptor_, words.data(), words.size(), 0);
    return count > 0 ? " (" + std::string(words.data(), static_cast<std::size_t>(count)) + ")" : "";
}

/// Writes the holder for the messages of other processes. The lock also works without it.
void DirectoryLock::write_holder() const {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const std::string words = text("process %d on %s", static_cast<int>(getpid()), host.data());
    [[maybe_unused]] const bool done =
        ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, words.data(), words.size(), 0) > 0;
}

} // namespace planrt
