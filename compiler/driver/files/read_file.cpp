#include "driver/files/read_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace planc::driver {

std::string read_file(const std::string &path, std::string &text) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return "cannot read '" + path + "': it is a directory";
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream content;
    if (stream)
        content << stream.rdbuf();
    if (!stream || stream.bad())
        return "cannot read '" + path + "': " + std::strerror(errno != 0 ? errno : EIO);
    text = content.str();
    return {};
}

} // namespace planc::driver
