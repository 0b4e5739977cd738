#include "driver/files/workshop.h"

#include <cstdlib>
#include <filesystem>

namespace planc::driver {

Workshop::Workshop(const std::string &command) {
    std::error_code error;
    std::filesystem::path directory = std::filesystem::temp_directory_path(error);
    if (!error)
        directory = std::filesystem::absolute(directory, error);
    std::string pattern = (directory / ("planc-" + command + "-XXXXXX")).string();
    if (!error && mkdtemp(pattern.data()) != nullptr)
        path_ = pattern;
}

Workshop::~Workshop() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

} // namespace planc::driver
