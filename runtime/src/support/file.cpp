#include "support/file.h"

#include "support/plain_failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace planrt {

namespace {

std::string directory_of(const std::string &path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_same(const struct stat &one, const struct stat &other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/// The descriptor of the process's output or error output if the path names one of them; -1 for other files. If the
/// file were opened again, it would be written from its beginning, over the program's own output.
int standard_output_at(const std::string &path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || S_ISCHR(status.st_mode))
        return -1;
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
        if (struct stat own{}; fstat(descriptor, &own) == 0 && is_same(status, own))
            return descriptor;
    return -1;
}

/// Whether the file is first written under a temporary name and then renamed.
bool regular_or_new(const std::string &path) {
    struct stat status{};
    return stat(path.c_str(), &status) != 0 || (S_ISREG(status.st_mode) && standard_output_at(path) < 0);
}

const char *kind_of_file(mode_t mode) {
    return S_ISFIFO(mode) ? "pipe" : S_ISSOCK(mode) ? "socket" : "device";
}

/// The file itself if the path is a link to it, because renaming would replace the link.
std::string without_links(const std::string &path) {
    char *resolved = realpath(path.c_str(), nullptr);
    if (resolved == nullptr)
        return path;
    std::string result = resolved;
    std::free(resolved);
    return result;
}

/// A new name in a directory is on the disk only after the directory was flushed; some file systems cannot do that.
void flush_directory(const std::string &path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    static_cast<void>(fsync(descriptor));
    ::close(descriptor);
}

std::string cannot_write(const std::string &path) {
    return text("cannot write %s: %s", path.c_str(), std::strerror(errno));
}

} // namespace

OutputFile::OutputFile(const std::string &path) : OutputFile(path, path, O_TRUNC) {}

OutputFile::OutputFile(const std::string &path, std::uint64_t kept) : OutputFile(path, path, 0) {
    if (standard_output_at(path) >= 0)
        return;
    if (ftruncate(descriptor_, static_cast<off_t>(kept)) != 0 && errno != EINVAL) // a pipe or a device has no length
        fail();
    lseek(descriptor_, 0, SEEK_END);
}

OutputFile::OutputFile(std::string shown, const std::string &opened, int flags) : path_(std::move(shown)) {
    const int standard = standard_output_at(opened);
    descriptor_ = standard >= 0 ? fcntl(standard, F_DUPFD_CLOEXEC, 0)
                                : ::open(opened.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (descriptor_ < 0)
        fail();
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile &OutputFile::operator=(OutputFile &&other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void OutputFile::fail() const {
    throw Failure(cannot_write(path_));
}

void OutputFile::write(const void *bytes, std::size_t count) {
    const char *next = static_cast<const char *>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(descriptor_, next, count);
        if (written < 0) {
            if (errno == EINTR)
                continue;
            fail();
        }
        next += written;
        count -= static_cast<std::size_t>(written);
    }
}

void OutputFile::overwrite(std::uint64_t offset, std::string_view text) {
    if (pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(text.size()))
        fail();
}

void OutputFile::close() {
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) // a pipe or a device has nothing to flush
        fail();
    if (::close(std::exchange(descriptor_, -1)) != 0)
        fail();
}

AtomicFile::AtomicFile(const std::string &path) : path_(path) {
    if (!regular_or_new(path)) {
        file_ = OutputFile(path);
        return;
    }
    path_ = without_links(path);
    temporary_ = path_ + text(".%d.tmp", static_cast<int>(getpid()));
    file_ = OutputFile(path, temporary_, O_TRUNC);
}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

void AtomicFile::commit() {
    file_.close();
    if (temporary_.empty())
        return;
    if (rename(temporary_.c_str(), path_.c_str()) != 0)
        throw Failure(cannot_write(path_));
    temporary_.clear();
    flush_directory(directory_of(path_));
}

void check_writable(const std::string &path) {
    if (regular_or_new(path)) {
        const AtomicFile tried(path); // permissions do not suffice: root may write everywhere
        return;
    }
    struct stat status{};
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else if (access(path.c_str(), W_OK) == 0)
        return;
    throw Failure(cannot_write(path));
}

int open_regular(const std::string &path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // which regular files ignore
    struct stat status{};
    if (descriptor < 0 && errno == ENOENT)
        throw MissingFile(text("cannot read %s: %s", path.c_str(), std::strerror(errno)));
    std::string reason;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        reason = std::strerror(errno);
    else if (S_ISDIR(status.st_mode))
        reason = std::strerror(EISDIR);
    else if (!S_ISREG(status.st_mode))
        reason = text("it is a %s, not a file", kind_of_file(status.st_mode));
    if (reason.empty())
        return descriptor;
    if (descriptor >= 0)
        ::close(descriptor);
    throw Failure(text("cannot read %s: %s", path.c_str(), reason.c_str()));
}

InputFile::InputFile(const std::string &path) : path_(path), descriptor_(open_regular(path)) {
    struct stat status{};
    if (fstat(descriptor_, &status) == 0)
        size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, void *bytes, std::size_t count) const {
    char *next = static_cast<char *>(bytes);
    while (count > 0) {
        const ssize_t got = pread(descriptor_, next, count, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw Failure(text("cannot read %s: %s", path_.c_str(), std::strerror(errno)));
        if (got == 0)
            throw Failure(text("%s: ends after %llu bytes", path_.c_str(), static_cast<unsigned long long>(offset)));
        next += got;
        offset += static_cast<std::uint64_t>(got);
        count -= static_cast<std::size_t>(got);
    }
}

} // namespace planrt
