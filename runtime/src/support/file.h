// Files with every error checked: a full disk or a missing file is one clear message (Failure), never a short file.
#pragma once

#include "support/plain_failure.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace planrt {

class MissingFile : public Failure {
  public:
    using Failure::Failure;
};

/// Opens a file to be read and returns its descriptor. Only regular files are accepted: opening a pipe may block, and
/// two ranks would not read the same from it. Errors: Failure "cannot read FILE: reason"; MissingFile.
[[nodiscard]] int open_regular(const std::string &path);

/// A file that is written live, line by line (a log). Output to /dev/stdout and the like continues where the program's
/// own output ends. Errors: Failure "cannot write FILE: reason".
class OutputFile {
  public:
    OutputFile() = default;
    explicit OutputFile(const std::string &path);
    /// Continues a file after its first `kept` bytes.
    OutputFile(const std::string &path, std::uint64_t kept);
    OutputFile(OutputFile &&other) noexcept;
    OutputFile &operator=(OutputFile &&other) noexcept;
    ~OutputFile();
    [[nodiscard]] bool open() const { return descriptor_ >= 0; }
    void write(const void *bytes, std::size_t count);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Replaces bytes that were already written.
    void overwrite(std::uint64_t offset, std::string_view text);
    /// Flushes to the disk and closes.
    void close();

  private:
    friend class AtomicFile;
    OutputFile(std::string shown, const std::string &opened, int flags);
    [[noreturn]] void fail() const;
    std::string path_;
    int descriptor_ = -1;
};

/// A file that appears under its name only when it is complete: it is written beside it as NAME.PID.tmp, then renamed.
/// Anything that is not a regular file (/dev/full, a pipe) is written in place.
class AtomicFile {
  public:
    explicit AtomicFile(const std::string &path);
    ~AtomicFile();
    void write(const void *bytes, std::size_t count) { file_.write(bytes, count); }
    void write(std::string_view text) { file_.write(text); }
    void overwrite(std::uint64_t offset, std::string_view text) { file_.overwrite(offset, text); }
    /// Afterwards, the file survives a crash of the machine too.
    void commit();

  private:
    std::string path_;
    std::string temporary_; ///< empty: written in place, or committed
    OutputFile file_;
};

/// For files that are written at the end: throws Failure if no file can be written at `path`. Leaves no file.
void check_writable(const std::string &path);

/// Random access to a file; not to pipes and devices. Errors: Failure "FILE: reason".
class InputFile {
  public:
    explicit InputFile(const std::string &path);
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;
    ~InputFile();
    [[nodiscard]] std::uint64_t size() const { return size_; }
    void read(std::uint64_t offset, void *bytes, std::size_t count) const;

  private:
    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

} // namespace planrt
