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

/// Empty, or the reason.
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

int flush_standard_output(int code) {
    if (std::cout.flush())
        return code;
    std::cerr << "planc: cannot write to standard output; is the disk full?\n";
    return code == done ? input_error : code;
}

} // namespace planc::driver
