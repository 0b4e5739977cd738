#include "driver/files/write_file.h"

#include "driver/commands/commands.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace planc::driver {

namespace {

std::string cannot_write(const std::string &path, const std::string &reason) {
    return "cannot write '" + path + "': " + reason;
}

/// Writes the text. Returns an empty text or the reason for the failure.
std::string write_to(const std::string &path, const std::string &text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    return stream ? "" : std::strerror(errno);
}

} // namespace

std::string write_file(const std::string &path, const std::string &text) {
    struct stat status{};
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        const std::string reason = write_to(path, text);
        return reason.empty() ? "" : cannot_write(path, reason);
    }
    std::error_code error;
    // Renaming onto a link would replace the link.
    const std::string file = exists ? std::filesystem::canonical(path, error).string() : path;
    if (error)
        return cannot_write(path, error.message());
    const std::string temporary = file + ".tmp" + std::to_string(getpid());
    std::string reason = write_to(temporary, text);
    if (reason.empty() && exists && chmod(temporary.c_str(), status.st_mode & 07777) != 0)
        reason = std::strerror(errno);
    if (reason.empty() && std::rename(temporary.c_str(), file.c_str()) != 0)
        reason = std::strerror(errno);
    if (reason.empty())
        return {};
    std::filesystem::remove(temporary, error);
    return cannot_write(path, reason);
}

std::string check_writable(const std::string &path) {
    struct stat status{};
    const auto refuse = [&path](int reason) { return cannot_write(path, std::strerror(reason)); };
    const bool exists = stat(path.c_str(), &status) == 0;
    if (!exists && errno != ENOENT)
        return refuse(errno);
    if (exists ? S_ISDIR(status.st_mode) : path.ends_with('/'))
        return refuse(EISDIR);
    if (exists && access(path.c_str(), W_OK) != 0)
        return refuse(errno);
    if (exists && !S_ISREG(status.st_mode))
        return {};
    // The folder must be writable even if the file exists, because the file is first written under a temporary name.
    std::error_code error;
    const std::filesystem::path file = exists ? std::filesystem::canonical(path, error) : std::filesystem::path(path);
    const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
    if (stat(folder.c_str(), &status) != 0)
        return refuse(errno);
    if (!S_ISDIR(status.st_mode))
        return refuse(ENOTDIR);
    return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : refuse(errno);
}

int flush_standard_output(int code) {
    if (std::cout.flush())
        return code;
    std::cerr << "planc: cannot write to standard output; is the disk full?\n";
    return code == done ? input_error : code;
}

} // namespace planc::driver
