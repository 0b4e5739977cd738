#include "sema/training/data_paths.h"

#include <filesystem>

namespace planc::sema {

std::string data_path(const Data &data, const std::string &file, const Context &context) {
    const std::string &replaced = context.options.data_directory;
    if (file.empty() || (file.starts_with('/') && replaced.empty()))
        return file;
    std::string below = (replaced.empty() ? data.directory : replaced) + "/" + file;
    const std::size_t slash = file.rfind('/');
    std::error_code error;
    if (replaced.empty() || slash == std::string::npos || std::filesystem::exists(below, error))
        return below;
    std::string directly = replaced + file.substr(slash);
    return std::filesystem::exists(directly, error) ? directly : below;
}

} // namespace planc::sema
